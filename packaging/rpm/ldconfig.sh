#!/bin/sh
# packaging/rpm/ldconfig.sh -- after installing and removing: the linker's cache learns of it.
ldconfig
