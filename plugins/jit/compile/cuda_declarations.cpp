// plugins/jit/cuda_declarations.cpp -- see cuda_declarations.h.
#include "plugins/jit/cuda_declarations.h"

#include <clang/AST/RecursiveASTVisitor.h>
#include <clang/Sema/Sema.h>
#include <clang/Sema/SemaCUDA.h>
#include <clang/Sema/SemaConsumer.h>

namespace gpuopt::jit {
namespace {

class CudaDeclarations : public clang::SemaConsumer, public clang::RecursiveASTVisitor<CudaDeclarations> {
 public:
  void InitializeSema(clang::Sema &sema) override { sema_ = &sema; }
  void ForgetSema() override { sema_ = nullptr; }
  bool HandleTopLevelDecl(clang::DeclGroupRef group) override {
    for (clang::Decl *declaration : group) {
      // Those of precompiled headers were looked at when these were made; looking again would read all of them.
      if (!declaration->isFromASTFile()) TraverseDecl(declaration);
    }
    return true;
  }
  void HandleCXXStaticMemberVarInstantiation(clang::VarDecl *variable) override { TraverseDecl(variable); }

  bool shouldVisitImplicitCode() const { return true; }  // calls of lambdas
  // The generator of code looks at the first declaration.
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
      report(*variable, "a kernel has no thread_local variables");
    } else if (is_initialized(*variable)) {
      report(*variable, "a __shared__ variable has no initializer");
    } else if (!is_constructor_empty(*variable)) {
      report(*variable, "a __shared__ variable whose type has a constructor that is not empty: it would not run");
    } else if (!is_destructor_empty(*variable)) {
      report(*variable, "a __shared__ variable whose type has a destructor that is not empty: it would not run");
    }
    make_plain(*variable);
    return true;
  }

 private:
  static const clang::AnnotateAttr *annotation(const clang::Decl &declaration, llvm::StringRef text) {
    const auto *const found = declaration.getAttr<clang::AnnotateAttr>();
    return found && found->getAnnotation() == text ? found : nullptr;
  }

  void report(const clang::VarDecl &variable, llvm::StringRef problem) {
    clang::DiagnosticsEngine &log = sema_->getDiagnostics();
    log.Report(variable.getLocation(), log.getDiagnosticIDs()->getCustomDiagID(clang::DiagnosticIDs::Error, problem));
  }

  // By its author; Clang has it that class types are by their constructors.
  static bool is_initialized(const clang::VarDecl &variable) {
    if (!variable.getInit()) return false;
    const auto *const made = constructor_call(variable);
    return variable.getInitStyle() != clang::VarDecl::CallInit || !made || made->getParenOrBraceRange().isValid();
  }

  static const clang::CXXConstructExpr *constructor_call(const clang::VarDecl &variable) {
    return llvm::dyn_cast_or_null<clang::CXXConstructExpr>(variable.getInit());
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

  // Seen before, perhaps when the headers were precompiled.
  static bool is_plain(const clang::VarDecl &variable) {
    const auto *const attribute = variable.getAttr<clang::NoDestroyAttr>();
    return attribute && attribute->isImplicit();
  }

  // Uninitialized memory, which the generator of code refers to directly.
  void make_plain(clang::VarDecl &variable) {
    variable.setInit(nullptr);
    variable.dropAttr<clang::AnnotateAttr>();
    variable.addAttr(clang::ConstInitAttr::CreateImplicit(
        sema_->getASTContext(), {}, clang::ConstInitAttr::CXX11_clang_require_constant_initialization));
    variable.addAttr(clang::NoDestroyAttr::CreateImplicit(sema_->getASTContext()));
  }

  clang::Sema *sema_ = nullptr;
};

}  // namespace

std::unique_ptr<clang::ASTConsumer> cuda_declarations() { return std::make_unique<CudaDeclarations>(); }

}  // namespace gpuopt::jit
