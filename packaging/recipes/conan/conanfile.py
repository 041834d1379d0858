# packaging/recipes/conan/conanfile.py -- Conan 2's recipe.
import os

from conan import ConanFile
from conan.errors import ConanInvalidConfiguration
from conan.tools.build import check_min_cppstd
from conan.tools.cmake import CMake, CMakeDeps, CMakeToolchain, cmake_layout
from conan.tools.files import copy, get, rmdir

required_conan_version = ">=2.0"


class GpuoptConan(ConanFile):
    name = "gpuopt"
    version = "1.0.0"
    description = "Arrays on any processor behind one C ABI, with NumPy's semantics; backends are found at run time"
    license = "Apache-2.0"
    homepage = "https://gpuopt.invalid/gpuopt"
    url = homepage
    topics = ("array", "gpu", "cuda", "numpy")
    package_type = "shared-library"
    settings = "os", "arch", "compiler", "build_type"
    options = {"cuda": [True, False], "tools": [True, False]}
    default_options = {"cuda": True, "tools": False}

    def layout(self):
        cmake_layout(self, src_folder="src")

    def requirements(self):
        self.requires("zlib/[>=1.2.11 <2]")

    def build_requirements(self):
        self.tool_requires("cmake/[>=3.25 <5]")

    def validate(self):
        if self.settings.os != "Linux" or self.settings.arch not in ("x86_64", "armv8"):
            raise ConanInvalidConfiguration("this recipe is for Linux on x86-64 and AArch64")
        check_min_cppstd(self, 20)

    def source(self):
        get(self, f"https://gpuopt.invalid/gpuopt/archive/v{self.version}.tar.gz", sha256="0" * 64, strip_root=True)

    def generate(self):
        toolchain = CMakeToolchain(self)
        for name in ("TESTS", "SAMPLES"):
            toolchain.variables[f"GPUOPT_BUILD_{name}"] = False
        toolchain.variables["GPUOPT_WERROR"] = False
        toolchain.variables["GPUOPT_BUILD_CUDA"] = bool(self.options.cuda)
        toolchain.variables["GPUOPT_BUILD_TOOLS"] = bool(self.options.tools)
        toolchain.generate()
        CMakeDeps(self).generate()

    def build(self):
        cmake = CMake(self)
        cmake.configure()
        cmake.build()

    def package(self):
        copy(self, "LICENSE", src=self.source_folder, dst=os.path.join(self.package_folder, "licenses"))
        CMake(self).install()
        rmdir(self, os.path.join(self.package_folder, "lib", "cmake"))
        rmdir(self, os.path.join(self.package_folder, "lib", "pkgconfig"))

    def package_info(self):
        self.cpp_info.libs = ["gpuopt"]
        self.cpp_info.set_property("cmake_file_name", "gpuopt")
        self.cpp_info.set_property("cmake_target_name", "gpuopt::gpuopt")
        self.cpp_info.set_property("pkg_config_name", "gpuopt")
