// plugins/jit/compile/cuda_declarations.cpp -- see cuda_declarations.h.
#include "plugins/jit/compile/cuda_declarations.h"

#include <clang/AST/RecursiveASTVisitor.h>
#include <clang/Basic/SourceManager.h>
#include <clang/Sema/Sema.h>
#include <clang/Sema/SemaCUDA.h>
#include <clang/Sema/SemaConsumer.h>

#include "plugins/jit/lower/launches.h"

namespace gpuopt::jit {
namespace {

constexpr const char *kSharedInitializer =
    "a __shared__ variable cannot have an initializer; let one thread assign the value, and call __syncthreads()";

constexpr const char *kCopied =
    "a parameter of the kernel that is launched here has a copy constructor or a destructor, and the arguments of a "
    "launch are copied byte by byte";

const clang::CXXConstructExpr *constructor_call(const clang::VarDecl &variable) {
  return llvm::dyn_cast_or_null<clang::CXXConstructExpr>(variable.getInit());
}

// Whether the author wrote an initializer. In Clang's AST, a variable of class type is initialized by its constructor.
bool is_initialized(const clang::VarDecl &variable) {
  if (!variable.getInit()) return false;
  const auto *const made = constructor_call(variable);
  return variable.getInitStyle() != clang::VarDecl::CallInit || !made || made->getParenOrBraceRange().isValid();
}

class CudaDeclarations : public clang::SemaConsumer, public clang::RecursiveASTVisitor<CudaDeclarations> {
 public:
  explicit CudaDeclarations(Places *returns) : returns_(returns) {}
  void InitializeSema(clang::Sema &sema) override { sema_ = &sema; }
  void ForgetSema() override { sema_ = nullptr; }
  bool HandleTopLevelDecl(clang::DeclGroupRef group) override {
    for (clang::Decl *declaration : group) {
      // Declarations of precompiled headers were visited when these were made. Visiting them again would load all of
      // them.
      if (!declaration->isFromASTFile()) TraverseDecl(declaration);
    }
    return true;
  }
  void HandleCXXStaticMemberVarInstantiation(clang::VarDecl *variable) override { TraverseDecl(variable); }

  bool shouldVisitImplicitCode() const { return true; }  // the call operators of lambdas
  bool VisitReturnStmt(clang::ReturnStmt *statement) { return record(*statement); }
  bool VisitGotoStmt(clang::GotoStmt *statement) {
    return record(*statement);
  }  // kernels of texts that may not return jump to the end
  // The arguments of a launch are copied byte by byte, as CUDA does.
  bool VisitCallExpr(clang::CallExpr *call) {
    const clang::FunctionDecl *const kernel = call->getDirectCallee();
    if (!kernel || !annotation(*kernel, kGlobal) || !is_in_text(call->getBeginLoc())) return true;
    for (const clang::ParmVarDecl *parameter : kernel->parameters()) {
      const clang::CXXRecordDecl *const type = parameter->getType()->getAsCXXRecordDecl();
      if (type && !type->canPassInRegisters()) report(call->getBeginLoc(), kCopied);
    }
    return true;
  }
  // The code generator reads the attributes of the first declaration.
  bool VisitFunctionDecl(clang::FunctionDecl *function) {
    const auto *const bounds = annotation(*function, "gpuopt_launch_bounds");
    for (clang::FunctionDecl *other : function->redecls()) {
      if (bounds && !annotation(*other, "gpuopt_launch_bounds")) other->addAttr(bounds->clone(sema_->getASTContext()));
    }
    return true;
  }
  bool VisitVarDecl(clang::VarDecl *variable) {
    if (variable->getTLSKind() == clang::VarDecl::TLS_None || variable->getDeclContext()->isDependentContext() ||
        variable->getType()->isDependentType() || variable->isInvalidDecl() || is_plain(*variable))
      return true;
    if (!annotation(*variable, "gpuopt_shared")) {
      report(*variable, "a kernel cannot have thread_local variables; declare a local variable or a __shared__ one");
    } else if (is_initialized(*variable)) {
      report(*variable, kSharedInitializer);
    } else if (!is_constructor_empty(*variable)) {
      report(*variable, "the type of a __shared__ variable has a constructor that is not empty, which would not run");
    } else if (!is_destructor_empty(*variable)) {
      report(*variable, "the type of a __shared__ variable has a destructor that is not empty, which would not run");
    }
    make_plain(*variable);
    return true;
  }

 private:
  // Places are compared by line and column alone, so that those in headers, which are other files, must be left out.
  bool record(const clang::Stmt &statement) {
    const clang::SourceManager &sources = sema_->getSourceManager();
    const clang::SourceLocation begin = sources.getExpansionLoc(statement.getBeginLoc());
    const clang::PresumedLoc place = sources.getPresumedLoc(begin);
    const bool in_text = sources.getFileID(begin) == sources.getMainFileID();
    if (returns_ && in_text && place.isValid()) returns_->emplace_back(place.getLine(), place.getColumn());
    return true;
  }

  static const clang::AnnotateAttr *annotation(const clang::Decl &declaration, llvm::StringRef text) {
    for (const auto *each : declaration.specific_attrs<clang::AnnotateAttr>())
      if (each->getAnnotation() == text) return each;
    return nullptr;
  }

  bool is_in_text(clang::SourceLocation at) const {
    const clang::SourceManager &sources = sema_->getSourceManager();
    const clang::PresumedLoc place = sources.getPresumedLoc(sources.getExpansionLoc(at));
    return place.isValid() && !llvm::StringRef(place.getFilename()).contains('/');  // not in our headers
  }

  void report(const clang::VarDecl &variable, llvm::StringRef problem) { report(variable.getLocation(), problem); }
  void report(clang::SourceLocation at, llvm::StringRef problem) {
    clang::DiagnosticsEngine &log = sema_->getDiagnostics();
    log.Report(at, log.getDiagnosticIDs()->getCustomDiagID(clang::DiagnosticIDs::Error, problem));
  }

  bool is_constructor_empty(const clang::VarDecl &variable) {
    const auto *const made = constructor_call(variable);
    return !made || sema_->CUDA().isEmptyConstructor(variable.getLocation(), made->getConstructor());
  }

  bool is_destructor_empty(const clang::VarDecl &variable) {
    const clang::CXXRecordDecl *const type = variable.getType()->getBaseElementTypeUnsafe()->getAsCXXRecordDecl();
    return !type || !type->hasDefinition() || type->hasTrivialDestructor() ||
           sema_->CUDA().isEmptyDestructor(variable.getLocation(), type->getDestructor());
  }

  // Whether make_plain() was called before, perhaps when the headers were precompiled.
  static bool is_plain(const clang::VarDecl &variable) {
    const auto *const attribute = variable.getAttr<clang::NoDestroyAttr>();
    return attribute && attribute->isImplicit();
  }

  // Makes the variable uninitialized memory, which the code generator accesses without a wrapper function.
  void make_plain(clang::VarDecl &variable) {
    variable.setInit(nullptr);
    variable.dropAttr<clang::AnnotateAttr>();
    variable.addAttr(clang::ConstInitAttr::CreateImplicit(
        sema_->getASTContext(), {}, clang::ConstInitAttr::CXX11_clang_require_constant_initialization));
    variable.addAttr(clang::NoDestroyAttr::CreateImplicit(sema_->getASTContext()));
  }

  clang::Sema *sema_ = nullptr;
  Places *const returns_;
};

class DeviceDeclarations : public clang::ASTConsumer, public clang::RecursiveASTVisitor<DeviceDeclarations> {
 public:
  bool HandleTopLevelDecl(clang::DeclGroupRef group) override {
    for (clang::Decl *declaration : group) TraverseDecl(declaration);
    return true;
  }
  void HandleCXXStaticMemberVarInstantiation(clang::VarDecl *variable) override { TraverseDecl(variable); }
  bool shouldVisitTemplateInstantiations() const { return true; }
  bool VisitVarDecl(clang::VarDecl *variable) {
    if (!variable->hasGlobalStorage()) return true;
    clang::ASTContext &context = variable->getASTContext();
    const bool is_shared = variable->hasAttr<clang::CUDASharedAttr>();
    if (is_shared && !variable->getDeclContext()->isDependentContext() && is_initialized(*variable)) {
      clang::DiagnosticsEngine &log = context.getDiagnostics();
      log.Report(variable->getLocation(),
                 log.getDiagnosticIDs()->getCustomDiagID(clang::DiagnosticIDs::Error, kSharedInitializer));
    }
    if (!is_shared && !variable->hasAttr<clang::CUDAConstantAttr>() && !variable->hasAttr<clang::CUDADeviceAttr>())
      variable->addAttr(clang::CUDADeviceAttr::CreateImplicit(context));
    return true;
  }
};

}  // namespace

std::unique_ptr<clang::ASTConsumer> device_declarations() { return std::make_unique<DeviceDeclarations>(); }

std::unique_ptr<clang::ASTConsumer> cuda_declarations(Places *returns) {
  return std::make_unique<CudaDeclarations>(returns);
}

}  // namespace gpuopt::jit
