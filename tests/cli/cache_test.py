# tests/cli/cache_test.py -- gpuopt cache on directories whose entries this test writes from the format's description.
import hashlib
import os
import time
import unittest

from harness import Case, all_keys, documented_keys, gpuopt


class Cache(Case):
    def setUp(self):
        super().setUp()
        self.directory = self.scratch / "cache"
        self.directory.mkdir(mode=0o700)

    def entry(self, name, payload, age=0):
        """An entry (plugins/shared/cache/cache.cpp): magic, key, length, checksum, payload; the key is also its
        place."""
        key = hashlib.sha256(name.encode()).digest()
        folder = self.directory / key.hex()[:2]
        folder.mkdir(mode=0o700, exist_ok=True)
        path = folder / key.hex()[2:]
        path.write_bytes(b"gpuopt cache 1\n\0" + key + len(payload).to_bytes(8, "little")
                         + hashlib.sha256(payload).digest() + payload)
        path.chmod(0o600)
        os.utime(path, (time.time() - age,) * 2)
        return path

    def cache(self, status, *arguments):
        return self.expect_json(status, "cache", *arguments, GPUOPT_CACHE_DIR=str(self.directory))

    def left(self):
        return sorted(p.name for p in self.directory.glob("??/*"))

    def test_path(self):
        self.assertEqual(self.expect(0, "cache", "path", GPUOPT_CACHE_DIR="/some/where"), "/some/where\n")
        self.assertEqual(self.expect(0, "cache", "path", XDG_CACHE_HOME="/xdg"), "/xdg/gpuopt\n")
        self.assertEqual(self.expect(0, "cache", "path", XDG_CACHE_HOME="", HOME="/h"), "/h/.cache/gpuopt\n")
        self.assertEqual(self.expect(0, "cache", "path", "--dir", "/else"), "/else\n")
        self.expect(3, "cache", "path", XDG_CACHE_HOME="", HOME="")
        refused = gpuopt("cache", "path", GPUOPT_CACHE_DIR="relative")
        self.assertEqual(refused.returncode, 3)
        self.assertIn("GPUOPT_CACHE_DIR=relative is not an absolute path", refused.stderr)
        self.assertNotIn("neither", refused.stderr)

    def test_size_and_list(self):
        old, new = self.entry("old", b"x" * 100, age=3 * 86400), self.entry("new", b"y" * 50)
        unfinished = old.parent / ".new-1-2-3"
        unfinished.write_bytes(b"z" * 7)
        size = self.cache(0, "size")
        self.assertEqual((size["entries"], size["bytes"], size["present"]), (3, 100 + 50 + 2 * 88 + 7, True))
        self.assertEqual(size["max_bytes"], 1 << 30)
        listed = self.cache(0, "list")
        self.assertEqual([e["bytes"] for e in listed["list"] if not e["unfinished"]], [138, 188])  # last used first
        self.assertEqual(listed["list"][-1]["key"], old.parent.name + old.name)
        self.assertGreaterEqual(listed["list"][-1]["age_seconds"], 3 * 86400)
        self.assertEqual(all_keys(listed) - documented_keys("cache list") - documented_keys("cache size"), set())
        text = self.expect(0, "cache", "list", "--dir", self.directory)
        self.assertIn("3 days", text)
        self.assertIn("3 entries, 333 bytes", text)

    def test_absent_is_empty(self):
        self.directory.rmdir()
        self.assertEqual((self.cache(0, "size")["present"], self.cache(0, "list")["list"],
                          self.cache(0, "verify")["damaged"]), (False, [], []))
        self.assertEqual(self.cache(0, "clear")["removed"], 0)
        self.assertFalse(self.directory.exists())

    def test_verify(self):
        good = self.entry("good", b"kernel" * 20)
        self.assertEqual(self.cache(0, "verify")["damaged"], [])
        flipped, short, elsewhere = (self.entry(n, b"kernel" * 20) for n in ("flipped", "short", "elsewhere"))
        data = bytearray(flipped.read_bytes())
        data[-1] ^= 1
        flipped.write_bytes(data)
        short.write_bytes(short.read_bytes()[:40])
        moved = elsewhere.parent / ("0" * 62)  # whole, but not what its name says
        elsewhere.rename(moved)
        damaged = self.cache(1, "verify")["damaged"]
        self.assertEqual(sorted(damaged), sorted(p.parent.name + p.name for p in (flipped, short, moved)))
        self.assertTrue(good.exists())

    def test_looking_is_no_use(self):
        path = self.entry("old", b"x", age=5 * 86400)
        before = path.stat().st_mtime
        self.cache(0, "verify"), self.cache(0, "list")
        self.assertEqual(path.stat().st_mtime, before)

    def test_prune_removes_what_was_not_used_for_longest(self):
        paths = [self.entry(str(i), bytes(912), age=86400 * i) for i in range(4)]  # 1000 bytes each
        pruned = self.cache(0, "prune", "--max-bytes", "2500")
        self.assertEqual((pruned["removed"], pruned["entries"], pruned["bytes"]), (2, 2, 2000))
        self.assertEqual(self.left(), sorted(p.name for p in paths[:2]))
        self.assertEqual(self.cache(0, "prune", "--max-bytes", "2K")["removed"], 0)
        self.assertEqual(self.cache(0, "prune")["removed"], 0)  # the bound of 1 GiB
        self.assertEqual(self.expect_json(0, "cache", "prune", GPUOPT_CACHE_DIR=str(self.directory),
                                          GPUOPT_CACHE_MAX_BYTES="1000")["removed"], 1)

    def test_clear(self):
        for i in range(3):
            self.entry(str(i), b"x")
        self.assertEqual((self.cache(0, "clear")["removed"], self.left()), (3, []))

    def test_only_entries_are_seen_and_removed(self):
        path = self.entry("a", b"x")
        bystanders = [self.directory / "go/main.go", self.directory / "go" / path.name, path.parent / "notes.txt",
                      self.directory / ("0" * 62)]
        for bystander in bystanders:
            bystander.parent.mkdir(exist_ok=True)
            bystander.write_text("mine")
        self.assertEqual((self.cache(0, "size")["entries"], self.cache(0, "verify")["damaged"]), (1, []))
        self.assertEqual(self.cache(0, "prune", "--max-bytes", "0")["removed"], 1)
        self.entry("a", b"x")
        self.assertEqual((self.cache(0, "clear")["removed"], path.exists()), (1, False))
        self.assertEqual([b.read_text() for b in bystanders], ["mine"] * 4)

    def test_what_others_may_write_to_is_refused(self):
        self.entry("a", b"x")
        self.directory.chmod(0o777)
        for command in ("size", "list", "verify", "prune", "clear"):
            self.assertIn("other users may write to it", self.cache(3, command)["error"]["message"])
        self.assertEqual(len(self.left()), 1)

    def test_what_another_process_holds_is_left(self):
        import fcntl
        self.entry("a", b"x")
        with open(self.directory / "lock", "w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            self.assertIn("another process is at it", self.cache(3, "clear")["error"]["message"])
        self.assertEqual(self.cache(0, "clear")["removed"], 1)


if __name__ == "__main__":
    unittest.main()
