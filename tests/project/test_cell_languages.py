"""A cell that begins with %%cc is highlighted as C, any other as it was."""

from __future__ import annotations

from docutils import nodes
from docutils.frontend import get_default_settings
from docutils.parsers.rst import Parser
from docutils.utils import new_document

from tests.project.test_reference import extension


def test_the_language_of_a_cell_follows_its_magic() -> None:
    document = new_document("page", get_default_settings(Parser()))
    sources = ("%%cc mine\nstatic int left = 'a';", "  %%cc mine\n", "%%ccx\n1", "print('%%cc')", "")
    for source in sources:
        document += nodes.literal_block(source, source, language="ipython3")
    extension("cell_languages").Language(document).run()
    languages = [block["language"] for block in document.findall(nodes.literal_block)]
    assert languages == ["c", "c", "ipython3", "ipython3", "ipython3"]
