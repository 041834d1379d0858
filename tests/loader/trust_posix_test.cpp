// tests/loader/trust_posix_test.cpp -- which plugin files are opened: nobody but root and this user may be able to
// change the file or any directory on the way to it.
//
// POSIX only: owners and modes of files, which Windows has no like of
#include <grp.h>
#include <pwd.h>
#include <signal.h>

#include <algorithm>
#include <chrono>
#include <thread>

#include "tests/loader/search_support.h"

namespace {

constexpr uid_t kStranger = 12345;

// <scratch>/above/plugins/libgpuopt_cuda.so, a plugin that works, in directories whose rights a test changes.
struct Tree : child::Scratch {
  const std::string above = directory("above"), plugins = directory("above/plugins"),
                    file = plugins + "/libgpuopt_cuda.so";
  Tree() { copy_file(child::plugin("good"), file); }
};

void set_mode(const std::string &path, mode_t mode) { ASSERT_EQ(chmod(path.c_str(), mode), 0) << path; }
void give_to(const std::string &path, uid_t user, gid_t group = static_cast<gid_t>(-1)) {
  ASSERT_EQ(lchown(path.c_str(), user, group), 0) << path;
}

Result open_cuda(const std::string &entry) {
  return child::run({LOADER_PROBE, "cuda"}, {{"GPUOPT_PLUGIN_PATH", entry}});
}

void expect_used(const Result &result) {
  ASSERT_EQ(result.exit, 0) << result.err;
  EXPECT_EQ(opened(result).device, "cuda:0") << result.err;
}

void expect_refused(const Result &result, const std::string &why) {
  ASSERT_EQ(result.exit, 0) << result.err;
  EXPECT_EQ(opened(result).device, "cpu:0");
  EXPECT_EQ(opened(result).fallback, "UNTRUSTED_PATH") << result.err;
  EXPECT_NE(result.err.find(why), std::string::npos) << result.err;
}

// However the plugin is named: by its directory, by its file, by the options of the call, and through a link from a
// directory that only this user can change.
void expect_refused_however_named(const Tree &tree, const std::string &why) {
  expect_refused(open_cuda(tree.plugins), why);
  expect_refused(open_cuda(tree.file), why);
  expect_refused(child::run({LOADER_PROBE, "cuda"}, {{"GPUOPT_TEST_OPTIONS", tree.plugins}}), why);
  const child::Scratch elsewhere;
  std::filesystem::create_symlink(tree.plugins, elsewhere / "directory");
  std::filesystem::create_symlink(tree.file, elsewhere / "libgpuopt_cuda.so");
  expect_refused(open_cuda(elsewhere / "directory"), why);
  expect_refused(open_cuda(elsewhere.path()), why);
}

TEST(Trust, AnOrdinaryTreeIsUsedHoweverItIsNamed) {
  const Tree tree;
  expect_used(open_cuda(tree.plugins));
  expect_used(open_cuda(tree.file));
  expect_used(open_cuda(tree.above + "/./plugins/../plugins/"));
  const child::Scratch elsewhere;
  std::filesystem::create_symlink(tree.plugins, elsewhere / "directory");
  expect_used(open_cuda(elsewhere / "directory"));
}

TEST(Trust, AnAncestorThatEveryUserMayWriteIsRefused) {
  const Tree tree;
  set_mode(tree.above, 0777);
  expect_refused_however_named(tree, tree.above + " may be written by every user");
}

TEST(Trust, AStickyAncestorIsFineUnlessTheNextDirectoryIsAnotherUsers) {
  const Tree tree;
  set_mode(tree.above, 01777);  // as /tmp: nobody else can rename what is ours in it
  expect_used(open_cuda(tree.plugins));
  if (geteuid() != 0) GTEST_SKIP() << "only root can give a directory away";
  give_to(tree.plugins, kStranger);
  expect_refused_however_named(tree, tree.plugins + " belongs to user 12345");
}

TEST(Trust, AnAncestorOfAnotherUserIsRefused) {
  if (geteuid() != 0) GTEST_SKIP() << "only root can give a directory away";
  const Tree tree;
  give_to(tree.above, kStranger);
  expect_refused_however_named(tree, tree.above + " belongs to user 12345");
}

TEST(Trust, WhatAGroupMayWriteIsRefused) {
  if (geteuid() != 0) GTEST_SKIP() << "only root can give a file to any group";
  for (const char *which : {"file", "plugins", "above"}) {
    SCOPED_TRACE(which);
    const Tree tree;
    const std::string path = which[0] == 'f' ? tree.file : which[0] == 'p' ? tree.plugins : tree.above;
    give_to(path, 0, 54321);
    set_mode(path, which[0] == 'f' ? 0664 : 0775);
    expect_refused_however_named(tree, path + " may be written by group 54321");
  }
}

TEST(Trust, RootHasNoGroupOfItsOwn) {  // whoever is in the group root is somebody else
  if (geteuid() != 0) GTEST_SKIP() << "needs root";
  const Tree tree;
  give_to(tree.file, 0, 0);
  set_mode(tree.file, 0664);
  expect_refused(open_cuda(tree.plugins), "may be written by group 0");
}

// An installation that an ordinary user made with umask 002: everything is its group's, too, and may be written by it.
struct Homemade : child::Scratch {
  const std::string plugins = directory("plugins");
  Homemade() {
    copy_file(LOADER_PROBE, *this / "probe");
    copy_file(LIBRARY_DIRECTORY "/libgpuopt.so.1", *this / "libgpuopt.so.1");
    copy_file(LIBRARY_DIRECTORY "/gpuopt/1/libgpuopt_cpu.so", directory("gpuopt/1") + "/libgpuopt_cpu.so");
    copy_file(child::plugin("good"), plugins + "/libgpuopt_cuda.so");
  }
  void belongs_to(uid_t user, gid_t group) const {
    give_to(path(), user, group);
    set_mode(path(), 0775);
    for (const auto &entry : std::filesystem::recursive_directory_iterator(path())) {
      give_to(entry.path(), user, group);
      set_mode(entry.path(), 0775);
    }
  }
  Result open_as(uid_t user) const {
    return child::run({*this / "probe", "cuda"}, {{"GPUOPT_PLUGIN_PATH", plugins}, {"LD_LIBRARY_PATH", path()}}, "/",
                      user);
  }
};

// A user whose group has its name and nobody else in it, as Debian makes them; NULL if there is none.
const passwd *user_with_a_group_of_its_own() {
  setpwent();
  while (const passwd *user = getpwent()) {
    const group *const own = user->pw_uid ? getgrgid(user->pw_gid) : nullptr;
    if (own && std::string(own->gr_name) == user->pw_name && !own->gr_mem[0]) return user;
  }
  return nullptr;
}

TEST(Trust, AUsersOwnGroupMayWrite) {
  if (geteuid() != 0) GTEST_SKIP() << "only root can become a user that has such a group";
  const passwd *const user = user_with_a_group_of_its_own();
  if (!user) GTEST_SKIP() << "no user of this system has a group of its own";
  const Homemade place;
  place.belongs_to(user->pw_uid, user->pw_gid);
  const Result own = place.open_as(user->pw_uid);
  expect_used(own);
  give_to(place.plugins, user->pw_uid, 54321);
  expect_refused(place.open_as(user->pw_uid), "may be written by group 54321");
}

TEST(Trust, ADirectoryLinkOfAnotherUserInAStickyDirectoryIsRefused) {
  if (geteuid() != 0) GTEST_SKIP() << "only root can give a link away";
  const Tree tree;
  const child::Scratch shared;
  std::filesystem::create_directory_symlink(tree.plugins, shared / "link");
  set_mode(shared.path(), 01777);
  expect_used(open_cuda(shared / "link"));
  give_to(shared / "link", kStranger);
  expect_refused(open_cuda(shared / "link"), "link belongs to user 12345");
}

// Exchanges two names as fast as it can, as another user, until it is killed.
struct Stranger {
  const pid_t process;
  Stranger(const std::string &a, const std::string &b) : process(fork()) {
    if (process != 0) return;
    if (setuid(65534) != 0) _exit(1);
    const std::string aside = a + ".aside";
    for (;;) {
      std::rename(a.c_str(), aside.c_str());
      std::rename(b.c_str(), a.c_str());
      std::rename(aside.c_str(), b.c_str());
    }
  }
  ~Stranger() {
    kill(process, SIGKILL);
    waitpid(process, nullptr, 0);
  }
};

TEST(Trust, WhoMayRenameTheDirectoryGetsNoCodeIn) {
  if (geteuid() != 0) GTEST_SKIP() << "needs root, to have a stranger";
  const Marker marker;
  const Tree tree;
  const std::string evil = tree.directory("above/evil");
  copy_file(child::plugin("long_table"), evil + "/libgpuopt_cuda.so");
  give_to(evil, 65534);
  give_to(evil + "/libgpuopt_cuda.so", 65534);
  set_mode(tree.path(), 0755);
  set_mode(tree.above, 0777);
  const Stranger stranger(tree.plugins, evil);
  for (int start = 0; start < 200; ++start) {
    const Result result =
        child::run({LOADER_PROBE, "cuda"}, {{"GPUOPT_PLUGIN_PATH", tree.plugins}, {"GPUOPT_TEST_MARKER", marker.file}});
    ASSERT_EQ(result.exit, 0) << result.err;
  }
  EXPECT_EQ(marker.seen(), Names());
}

// ---- What a plugin sees of the file it was loaded from

#if defined(__GLIBC__)  // whose dynamic linker says by which name it was asked for each file
// The names by which the file, or a descriptor in its place, was loaded by dlopen.
Names names_in(const Result &result, const std::string &file) {
  Names names;
  for (const std::string &line : result.err_lines()) {
    const size_t start = line.find("file="), end = line.find(" [", start),
                 how = line.find("dynamically loaded by", start);
    if (start == std::string::npos || end == std::string::npos || how == std::string::npos) continue;
    const std::string name = line.substr(start + 5, end - start - 5);
    if (name == file || name.starts_with("/proc/self/fd")) names.push_back(name);
  }
  return names;
}

// What is loaded is what was checked, and not what has its name by then.
TEST(Loaded, APluginIsLoadedByTheDescriptorThatWasChecked) {
  const Tree tree;
  const Result result =
      child::run({LOADER_PROBE, "cuda"}, {{"GPUOPT_PLUGIN_PATH", tree.plugins}, {"LD_DEBUG", "files"}});
  expect_used(result);
  const Names names = names_in(result, tree.file);
  ASSERT_FALSE(names.empty()) << result.err;
  for (const std::string &name : names) EXPECT_TRUE(name.starts_with("/proc/self/fd")) << name;
}
#endif

TEST(Loaded, APluginsNameIsItsRealPath) {
  const Tree tree;
  const child::Scratch elsewhere;
  std::filesystem::create_symlink(tree.plugins, elsewhere / "directory");
  const Result result = child::run({LOADER_PROBE, "cuda", "where"}, {{"GPUOPT_PLUGIN_PATH", elsewhere / "directory"}});
  ASSERT_GE(result.out_lines().size(), 2u) << result.out << result.err;
  EXPECT_EQ(result.out_lines().at(1), "where|" + tree.file);
}

TEST(Loaded, TwoPluginsAreNotTakenForOneAnother) {
  const Tree tree;
  copy_file(child::plugin("third_party", "foo"), tree.plugins + "/libgpuopt_foo.so");
  const Result result =
      child::run({LOADER_PROBE, "cuda", "foo", "cuda:1", "foo:1"}, {{"GPUOPT_PLUGIN_PATH", tree.plugins}});
  ASSERT_EQ(result.out_lines().size(), 5u) << result.out << result.err;
  EXPECT_EQ(opened(result, 0).device, "cuda:0");
  EXPECT_EQ(opened(result, 1).device, "foo:0");
  EXPECT_EQ(opened(result, 2).device, "cuda:1");
  EXPECT_EQ(opened(result, 3).device, "foo:1");
}

TEST(Loaded, LibrariesBesideAPluginAreFoundByItsOrigin) {
  const child::Scratch place;
  copy_file(child::plugin("needs_sibling"), place / "libgpuopt_cuda.so");
  copy_file(child::plugin_directory("needs_sibling") + "/libgpuopt_sibling.so", place / "libgpuopt_sibling.so");
  expect_used(open_cuda(place.path()));
  std::filesystem::remove(place / "libgpuopt_sibling.so");
  const Result without = open_cuda(place.path());
  EXPECT_EQ(opened(without).fallback, "LOAD_FAILED");
  EXPECT_NE(without.err.find("libgpuopt_sibling.so"), std::string::npos) << without.err;
}

}  // namespace
