// plugins/cuda/compile/header_lists.cpp -- see header_lists.h.
#include "plugins/cuda/compile/header_lists.h"

#include "plugins/cuda/compile/embedded.h"
#include "plugins/shared/host/kernel_messages.h"

namespace gpuopt::cuda {

HeaderLists::HeaderLists() {
  for (const EmbeddedHeader &header : embedded_headers()) {
    names.push_back(header.name);
    texts.push_back(header.text);
  }
  const auto add_known = [this](const char *name) { names.push_back(name), texts.push_back(known_header_text(name)); };
#define GPO_KNOWN_HEADER(name) add_known(name);
#include "plugins/shared/words/known_headers.h"
#undef GPO_KNOWN_HEADER
}

const HeaderLists &header_lists() {
  static const HeaderLists *const lists = new HeaderLists;
  return *lists;
}

}  // namespace gpuopt::cuda
