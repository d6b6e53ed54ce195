"""Modules that programs import under the names of other people's packages; staged as top-level modules."""
