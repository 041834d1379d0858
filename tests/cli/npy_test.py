# tests/cli/npy_test.py -- gpuopt npy: files written here by hand are shown, converted and compared.
import math
import os
import statistics
import struct
import unittest
import zipfile

from harness import Case, all_keys, documented_keys, npy_bytes, on_terminal, read_npy


class Show(Case):
    def test_dtype_shape_and_numbers(self):
        path = self.doubles("a.npy", [0, 1, 2, 3, 4, 5], (2, 3))
        self.assertEqual(self.expect(0, "npy", "show", path),
                         "array  float64  (2, 3)  48 bytes\n[[0. 1. 2.]\n [3. 4. 5.]]\n")
        shown = self.expect_json(0, "npy", "show", path)
        self.assertEqual(shown, {"file": str(path), "archive": False,
                                 "members": [{"name": None, "dtype": "float64", "shape": [2, 3],
            "size": 6, "bytes": 48, "order": "C", "text": "[[0. 1. 2.]\n [3. 4. 5.]]", "stats": None}]})

    def test_statistics(self):
        numbers = [3.5, -1.0, 0.0, 8.25, 0.0, 2.0]
        stats = self.expect_json(0, "npy", "show", "--stats", self.doubles("a.npy", numbers))["members"][0]["stats"]
        self.assertEqual({k: stats[k] for k in ("min", "max", "nan", "inf", "zero")},
                         {"min": -1.0, "max": 8.25, "nan": 0, "inf": 0, "zero": 2})
        self.assertAlmostEqual(stats["mean"], statistics.fmean(numbers), 14)
        self.assertAlmostEqual(stats["std"], statistics.pstdev(numbers), 14)
        self.assertEqual(all_keys(self.expect_json(0, "npy", "show", "--stats",
                                                   self.doubles("a.npy", numbers))) - documented_keys("npy show"),
                         set())

    def test_statistics_of_what_is_no_number(self):
        stats = self.expect_json(
            0, "npy", "show", "--stats", self.doubles("a.npy", [math.nan, math.inf, -math.inf, 1])
        )["members"][0]["stats"]
        self.assertEqual((stats["nan"], stats["inf"], stats["mean"], stats["min"]), (1, 2, None, None))
        empty = self.expect_json(0, "npy", "show", "--stats", self.doubles("e.npy", [], (0, 3)))["members"][0]
        self.assertEqual((empty["size"], empty["stats"]), (0, None))

    def test_other_dtypes(self):
        truth = self.write("b.npy", npy_bytes("|b1", (3,), b"\x01\x00\x01"))
        self.assertEqual(self.expect_json(0, "npy", "show", "--stats", truth)["members"][0]["stats"]["zero"], 1)
        complex64 = self.write("c.npy", npy_bytes("<c8", (1,), struct.pack("<2f", 3, -4)))
        self.assertEqual(self.expect_json(0, "npy", "show", "--stats", complex64)["members"][0]["stats"]["max"], 5)
        big_endian = self.write("d.npy", npy_bytes(">i4", (2,), struct.pack(">2i", 7, -9)))
        self.assertEqual(self.expect_json(0, "npy", "show", "--stats", big_endian)["members"][0]["stats"]["min"], -9)

    def test_nan_is_nan_and_hides_nothing(self):
        def complexes(name, re, im):
            return self.write(name, npy_bytes("<c16", (1,), re + im))
        one = struct.pack("<d", 1)
        two = struct.pack("<d", 2)
        nan = struct.pack("<Q", 0x7ff8 << 48)
        other = struct.pack("<Q", 0xfff0 << 48 | 5)
        self.expect(0, "npy", "diff", self.write("a.npy", npy_bytes("<f8", (1,), nan)),
                    self.write("b.npy", npy_bytes("<f8", (1,), other)))
        self.expect(0, "npy", "diff", complexes("a.npy", nan, one), complexes("b.npy", other, one))
        self.expect(1, "npy", "diff", complexes("a.npy", nan, one), complexes("b.npy", nan, two))
        self.expect(1, "npy", "diff", complexes("a.npy", one, nan), complexes("b.npy", two, nan))
        self.expect(1, "npy", "diff", complexes("a.npy", nan, one), complexes("b.npy", one, nan))

    def test_archives(self):
        z = self.archive("z.npz", {"x": npy_bytes("<i8", (2,), struct.pack("<2q", 1, 2)),
                                   "y": npy_bytes("|u1", (), b"\x07")})
        self.assertEqual([(m["name"], m["dtype"], m["shape"])
                          for m in self.expect_json(0, "npy", "show", z)["members"]],
                         [("x", "int64", [2]), ("y", "uint8", [])])
        self.assertEqual(len(self.expect_json(0, "npy", "show", z, "--member", "y")["members"]), 1)
        self.assertIn('has no member "w"', self.expect_json(3, "npy", "show", z, "--member", "w")["error"]["message"])

    def test_a_fifo_is_an_error_and_not_waited_for(self):
        fifo = self.scratch / "fifo"
        os.mkfifo(fifo)
        whole = self.doubles("whole.npy", [1.0])
        for words in [("show", fifo), ("diff", whole, fifo), ("diff", fifo, whole),
                      ("convert", fifo, self.scratch / "out.npy")]:
            error = self.expect_json(3, "npy", *words)["error"]
            self.assertEqual(error["status"], "GPUOPT_ERR_IO", words)
            self.assertIn("it is a FIFO or a pipe, not a file", error["message"])
        self.assertEqual(self.expect_json(3, "npy", "convert", whole, fifo)["error"]["status"], "GPUOPT_ERR_IO")
        self.assertIn("it is a device", self.expect_json(3, "npy", "show", "/dev/zero")["error"]["message"])

    def test_bad_files_are_explained(self):
        whole = npy_bytes("<f8", (4,), struct.pack("<4d", 1, 2, 3, 4))
        for name, data, said in [("short.npy", whole[:-5], "short.npy"),
                                 ("text.npy", b"hello, world: no arrays", "text.npy"),
                                 ("empty.npy", b"", "empty.npy"), ("odd.npy", npy_bytes("<f3", (1,), b"abc"), "<f3"),
                                 ("object.npy", npy_bytes("|O", (1,), b"abcdefgh"), "|O"),
                                 ("zip.npz", b"PK\x03\x04nothing", "zip.npz")]:
            for command in ("show",):
                error = self.expect_json(3, "npy", command, self.write(name, data))["error"]
                self.assertEqual(error["status"], "GPUOPT_ERR_FORMAT", name)
                self.assertIn(said, error["message"])
        self.assertEqual(self.expect_json(3, "npy", "show", self.scratch)["error"]["status"], "GPUOPT_ERR_IO")


class Large(Case):
    """Files of more than 64 MiB, which are mapped: here they are mostly holes."""

    COUNT = 9 << 20

    def large(self, name, fortran, values, header=None):
        header = header or npy_bytes("<f8", (9, 1 << 20), b"", fortran)
        path = self.scratch / name
        with open(path, "wb") as file:
            file.write(header)
            for at, value in values.items():
                file.seek(len(header) + 8 * at)
                file.write(struct.pack("<d", value))
            file.truncate(len(header) + 8 * self.COUNT)
        return path

    def test_statistics_in_either_order(self):
        for fortran in (False, True):
            path = self.large("l.npy", fortran, {5: -3.0, self.COUNT - 1: 1024.0})
            member = self.expect_json(0, "npy", "show", "--stats", path)["members"][0]
            self.assertEqual(member["order"], "F" if fortran else "C")
            stats = member["stats"]
            self.assertEqual((stats["min"], stats["max"], stats["zero"]), (-3.0, 1024.0, self.COUNT - 2))
            self.assertAlmostEqual(stats["mean"], 1021 / self.COUNT, 18)

    def test_difference_is_found_where_it_is(self):
        a = self.large("a.npy", False, {1: 2.0})
        b = self.large("b.npy", False, {1: 2.0, 7 * (1 << 20) + 12345: 0.5, self.COUNT - 1: -1.0})
        found = self.expect_json(1, "npy", "diff", a, b)["members"][0]
        self.assertEqual((found["different"], found["first"], found["b"], found["greatest"]),
                         (2, [7, 12345], "0.5", 1.0))
        self.expect(0, "npy", "diff", a, a)

    def test_header_is_read_as_strictly_as_of_a_small_file(self):
        for extra in ("garbage", "'more': 1, ", "'shape': (1,), "):
            header = npy_bytes("<f8", (9, 1 << 20), b"", False, extra)
            small = npy_bytes("<f8", (1,), b"12345678", False, extra)
            for path in (self.write("small.npy", small), self.large("large.npy", False, {}, header)):
                self.assertEqual(self.expect_json(3, "npy", "show", path)["error"]["status"], "GPUOPT_ERR_FORMAT",
                                 extra)
        unpadded = (
            b"\x93NUMPY\x01\x00"
            + struct.pack("<H", 61)
            + b"{'descr':'<f8','fortran_order':False,'shape':(0x9,1048576)}".ljust(60)
            + b"\n"
        )
        self.expect(3, "npy", "show", self.large("odd.npy", False, {}, unpadded))

    def test_any_byte_but_zero_is_true(self):
        header = npy_bytes("|b1", (8 * self.COUNT,), b"")
        path = self.large("b.npy", False, {0: struct.unpack("<d", bytes(7) + b"\x02")[0]}, header)
        self.expect(0, "npy", "convert", path, self.scratch / "u1.npy", "--dtype", "uint8")
        data = (self.scratch / "u1.npy").read_bytes()
        self.assertEqual((data.index(b"\n") + 1 + 7, data[data.index(b"\n") + 8]), (len(header) + 7, 1))

    def test_cut_short(self):
        path = self.large("a.npy", False, {})
        os.truncate(path, os.path.getsize(path) - 8)
        self.assertEqual(self.expect_json(3, "npy", "show", path)["error"]["status"], "GPUOPT_ERR_FORMAT")


class Text(Case):
    def test_there_and_back(self):
        table = self.write("a.csv", b"x,y\n1,2.5\n-3,1e300\n")
        out, text = self.scratch / "a.npy", self.scratch / "b.TSV"
        self.expect(0, "npy", "convert", table, out, "--skip-lines", "1")
        self.assertEqual(read_npy(out.read_bytes()), ("<f8", (2, 2), [1, 2.5, -3, 1e300]))
        self.expect(0, "npy", "convert", out, text)
        self.assertEqual(text.read_bytes(), b"1\t2.5\n-3\t1e+300\n")
        self.expect(0, "npy", "diff", out, text)

    def test_dtype_is_that_of_the_numbers(self):
        table, out = self.write("a.txt", b" 9007199254740993  1 # two\n"), self.scratch / "a.npy"
        self.expect(0, "npy", "convert", table, out, "--dtype", "int64")
        self.assertEqual(read_npy(out.read_bytes()), ("<i8", (2,), [9007199254740993, 1]))

    def test_bad_text(self):
        table = self.write("a.csv", b"1,2\n3,x\n")
        error = self.expect_json(3, "npy", "show", table)["error"]
        self.assertEqual(error["status"], "GPUOPT_ERR_FORMAT")
        self.assertIn("line 2, column 2", error["message"])
        self.expect(2, "npy", "convert", table, self.scratch / "a.npy", "--skip-lines", "-1")


class Convert(Case):
    def test_dtype(self):
        a, out = self.doubles("a.npy", [1.75, -2.5, 300]), self.scratch / "out.npy"
        self.assertEqual(self.expect_json(0, "npy", "convert", a, out, "--dtype", "float32"),
                         {"file": str(out), "members": [{"name": "a", "dtype": "float32", "shape": [3]}]})
        self.assertEqual(read_npy(out.read_bytes()), ("<f4", (3,), [1.75, -2.5, 300.0]))
        self.expect(0, "npy", "convert", a, a, "--dtype", "int8")  # over itself; 300 saturates
        self.assertEqual(read_npy(a.read_bytes()), ("|i1", (3,), [1, -2, 127]))

    def test_into_an_archive_and_out_of_it(self):
        a, b, z = self.doubles("a.npy", [1, 2]), self.doubles("b.npy", [3]), self.scratch / "z.npz"
        for compress in ([], ["--compress"]):
            self.expect(0, "npy", "convert", a, b, z, *compress)
            with zipfile.ZipFile(z) as archive:
                self.assertEqual(archive.testzip(), None)
                self.assertEqual({n: read_npy(archive.read(n))[2] for n in archive.namelist()},
                                 {"a.npy": [1.0, 2.0], "b.npy": [3.0]})
                self.assertEqual({i.compress_type for i in archive.infolist()},
                                 {zipfile.ZIP_DEFLATED if compress else zipfile.ZIP_STORED})
        out = self.scratch / "out.npy"
        self.expect(0, "npy", "convert", z, out, "--member", "b")
        self.assertEqual(read_npy(out.read_bytes())[2], [3.0])

    def test_letters_of_any_case_make_an_archive(self):
        z = self.scratch / "z.NPZ"
        self.expect(0, "npy", "convert", self.doubles("x.npy", [1]), z)
        self.assertEqual(zipfile.ZipFile(z).namelist(), ["x.npy"])

    def test_failures_name_the_file_that_was_asked_for(self):
        target = self.scratch / "missing" / "out.npy"
        message = self.expect_json(3, "npy", "convert", self.doubles("a.npy", [1]), target)["error"]["message"]
        self.assertIn(f"'{target}'", message)
        self.assertNotIn(".tmp", message)

    def test_progress(self):
        shown = on_terminal("npy", "convert", self.doubles("a.npy", [1]), self.scratch / "out.npy", stream="stderr")
        self.assertRegex(shown, r"1/2  reading .*a\.npy")
        self.assertTrue(shown.endswith("\r"), shown)

    def test_refuses_what_cannot_be(self):
        z, out = self.scratch / "z.npz", self.scratch / "out.npy"
        self.expect(0, "npy", "convert", self.doubles("a.npy", [1]), self.doubles("b.npy", [2]), z)
        self.assertIn("can hold one array", self.expect_json(3, "npy", "convert", z, out)["error"]["message"])
        self.expect(2, "npy", "convert", z, out, "--member", "a", "--compress")
        self.assertFalse(out.exists())
        self.expect(3, "npy", "convert", z, self.scratch / "no/such/place.npz")


class Diff(Case):
    def test_the_same(self):
        a = self.doubles("a.npy", [1, math.nan, math.inf])
        self.assertEqual(self.expect(0, "npy", "diff", a, a), "the same: 3 elements\n")
        empty = self.doubles("e.npy", [])
        self.expect(0, "npy", "diff", empty, empty)

    def test_elements(self):
        a = self.doubles("a.npy", [0, 1, 2, 3, 4, 5], (2, 3))
        b = self.doubles("b.npy", [0, 1, 2, 3, 4.5, math.nan], (2, 3))
        found = self.expect_json(1, "npy", "diff", a, b)
        self.assertEqual(found, {"same": False,
                                 "members": [{"name": None, "same": False, "problem": "", "size": 6, "different": 2,
            "greatest": 0.5, "first": [1, 1], "a": "4.0", "b": "4.5"}]})
        self.assertEqual(all_keys(found) - documented_keys("npy diff"), set())
        self.assertEqual(self.expect(1, "npy", "diff", a, b),
                         "differ: 2 of 6 elements, the first at [1, 1]: 4.0 and 4.5; greatest difference 0.5\n")

    def test_tolerances(self):
        a, b = self.doubles("a.npy", [100.0, 1.0]), self.doubles("b.npy", [101.0, 1.0])
        for status, tolerance in [(0, ["--atol", "1"]), (1, ["--atol", "0.99"]), (0, ["--rtol", "0.01"]),
                                  (1, ["--rtol", "0.0098"]), (0, ["--rtol", "inf"]),
                                  (1, ["--rtol", "0"]), (0, ["--rtol", "0.005", "--atol=0.5"])]:
            self.expect(status, "npy", "diff", a, b, *tolerance)

    def test_dtypes_and_shapes(self):
        a, b = self.doubles("a.npy", [1, 2]), self.write("b.npy", npy_bytes("<i4", (2,), struct.pack("<2i", 1, 2)))
        self.assertIn("dtypes float64 and int32", self.expect(1, "npy", "diff", a, b))
        self.expect(0, "npy", "diff", a, b, "--atol", "0")
        self.assertIn("shapes (2) and (1, 2)", self.expect(1, "npy", "diff", a, self.doubles("c.npy", [1, 2], (1, 2))))

    def test_extreme_integers(self):
        a = self.write("a.npy", npy_bytes("<u8", (2,), struct.pack("<2Q", 0, 2**64 - 1)))
        b = self.write("b.npy", npy_bytes("<u8", (2,), struct.pack("<2Q", 2**63, 2**64 - 2)))
        found = self.expect_json(1, "npy", "diff", a, b)["members"][0]
        self.assertEqual((found["different"], found["greatest"]), (2, 2**63))

    def integers(self, name, code, *numbers):
        kind = {"q": "<i8", "Q": "<u8", "b": "|i1", "B": "|u1", "?": "|b1"}[code]
        return self.write(name, npy_bytes(kind, (len(numbers),), struct.pack(f"<{len(numbers)}{code}", *numbers)))

    def test_integers_are_compared_exactly(self):
        pairs = [("Q", 2**63, "q", 2**63 - 1), ("q", 2**60, "q", 2**60 + 1), ("Q", 2**64 - 1, "q", -(2**63)),
                 ("q", -(2**63), "q", 2**63 - 1),
                 ("Q", 2**64 - 1, "Q", 2**64 - 2), ("b", -128, "B", 255), ("?", True, "q", -5),
                 ("q", -1, "Q", 2**64 - 1)]
        for code_a, a, code_b, b in pairs:
            distance = abs(int(a) - int(b))
            first = self.integers("a.npy", code_a, 7 if code_a != "?" else 1, a)
            second = self.integers("b.npy", code_b, 7 if code_a != "?" else 1, b)
            for x, y in ((first, second), (second, first)):
                with self.subTest(a=a, b=b):
                    for status, tolerance in [(1, ["--rtol", "0"]), (1, ["--atol", "0.5"]),
                                              (0, ["--atol", str(2**66)])]:
                        found = self.expect_json(status, "npy", "diff", x, y, *tolerance)["members"][0]
                        self.assertEqual((found["different"], found["greatest"]), (status, distance))
                    self.assertIn(f"greatest difference {distance}\n",
                                  self.expect(1, "npy", "diff", x, y, "--rtol", "0"))
        a, b = self.integers("a.npy", "q", 100, -200), self.integers("b.npy", "q", 110, -180)
        self.expect(0, "npy", "diff", a, b, "--atol", "20")
        self.expect(1, "npy", "diff", a, b, "--atol", "19.75")
        self.expect(0, "npy", "diff", a, b, "--rtol", "0.125")
        self.assertEqual(self.expect_json(1, "npy", "diff", a, b, "--rtol", "0.1")["members"][0]["first"], [1])

    def test_distances_that_are_not_finite(self):
        inf, nan = math.inf, math.nan
        for a, b, greatest, said in [(inf, -inf, "inf", "inf"), (inf, 1.0, "inf", "inf"), (nan, 1.0, 0, "not a number"),
                                     (nan, -inf, 0, "not a number")]:
            for x, y in ((a, b), (b, a)):
                first, second = self.doubles("a.npy", [inf, nan, 3, x]), self.doubles("b.npy", [inf, nan, 3, y])
                found = self.expect_json(1, "npy", "diff", first, second)["members"][0]
                self.assertEqual((found["different"], found["greatest"]), (1, greatest))
                self.assertIn(f"greatest difference {said}\n", self.expect(1, "npy", "diff", first, second))
        a = self.write("a.npy", npy_bytes("<c16", (1,), struct.pack("<2d", inf, 3)))
        b = self.write("b.npy", npy_bytes("<c16", (1,), struct.pack("<2d", inf, 7)))
        self.assertEqual(self.expect_json(1, "npy", "diff", a, b)["members"][0]["greatest"], 4)
        only = self.expect_json(1, "npy", "diff", self.doubles("a.npy", [nan]), self.doubles("b.npy", [0]))["members"][
            0
        ]
        self.assertEqual(only["greatest"], None)

    def test_archives(self):
        one, two = npy_bytes("|u1", (1,), b"\x01"), npy_bytes("|u1", (1,), b"\x02")
        a = self.archive("a.npz", {"x": one, "y": one, "z": one})
        b = self.archive("b.npz", {"x": one, "y": two, "w": one})
        members = {m["name"]: m for m in self.expect_json(1, "npy", "diff", a, b)["members"]}
        self.assertEqual({n: m["same"] for n, m in members.items()}, {"x": True, "y": False, "z": False, "w": False})
        self.assertIn("not in", members["z"]["problem"])
        self.expect(3, "npy", "diff", a, self.doubles("a.npy", [1]))
        self.expect(3, "npy", "diff", a, self.scratch / "missing.npz")

    def test_missing_file(self):
        for extra in ([], ["--member", "a"]):
            error = self.expect_json(3, "npy", "show", self.scratch / "missing.npz", *extra)["error"]
            self.assertEqual(error["status"], "GPUOPT_ERR_IO")
            self.assertIn("No such file", error["message"])


if __name__ == "__main__":
    unittest.main()
