# packaging/recipes/homebrew/gpuopt.rb -- Homebrew's formula.
class Gpuopt < Formula
  desc "Arrays on any processor behind one C ABI, with NumPy's semantics"
  homepage "https://gpuopt.invalid/gpuopt"
  url "https://gpuopt.invalid/gpuopt/archive/v1.0.0.tar.gz"
  sha256 "0000000000000000000000000000000000000000000000000000000000000000"
  license "Apache-2.0"

  depends_on "cmake" => :build
  depends_on "ninja" => :build
  depends_on :linux
  depends_on "zlib"

  def install
    args = %w[
      -DGPUOPT_BUILD_TESTS=OFF
      -DGPUOPT_BUILD_SAMPLES=OFF
      -DGPUOPT_WERROR=OFF
      -DGPUOPT_BUILD_CUDA=OFF
      -DGPUOPT_BUILD_TOOLS=ON
    ]
    system "cmake", "-S", ".", "-B", "build", "-G", "Ninja", *args, *std_cmake_args
    system "cmake", "--build", "build"
    system "cmake", "--install", "build"
  end

  test do
    (testpath/"test.c").write <<~C
      #include <gpuopt/gpuopt.h>
      int main(void) {
        gpuopt_device device = NULL;
        const gpuopt_status status = gpuopt_device_open("cpu!", NULL, &device, NULL);
        gpuopt_device_release(device);
        return status;
      }
    C
    system ENV.cc, "test.c", "-I#{include}", "-L#{lib}", "-lgpuopt", "-o", "test"
    system "./test"
  end
end
