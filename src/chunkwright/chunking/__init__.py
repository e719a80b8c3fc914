"""Cutting documents into chunks.

    text ──segment──▶ boundaries + sizes ──pack──▶ spans ──dress──▶ chunks

A strategy only says where a cut is allowed; one packer does size, overlap and minimum.
"""
