"""What a page tells when the server no longer answers it, such as after a restart."""

from __future__ import annotations

from nicegui import ui

# While the page tries to connect again, it asks now and then whether it is refused: a browser does
# not tell why a WebSocket failed. It goes on trying, as another page may bring the new token.
_WATCH = """<script>
  addEventListener("DOMContentLoaded", () => {
    const popup = document.getElementById("popup");
    const line = popup.lastElementChild;
    const usual = line.textContent;
    const lost = () => popup.getAttribute("aria-hidden") === "false";
    popup.setAttribute("role", "status");
    let asking = false;
    async function ask() {
      if (asking) return;
      asking = true;
      while (lost()) {
        try {
          const answer = await fetch("/lab/styles/base.css", { cache: "no-store" });
          const refused = answer.status === 401 || answer.status === 403;
          const said = refused ? await answer.text() : usual;
          if (line.textContent !== said) line.textContent = said;
        } catch { /* there is no server now */ }
        await new Promise((done) => setTimeout(done, 2000));
      }
      line.textContent = usual;
      asking = false;
    }
    new MutationObserver(ask).observe(popup, { attributeFilter: ["aria-hidden"] });
  });
</script>"""


def tell_refusals() -> None:
    """Have the page say why the server refuses to go on, and what to do about it."""
    ui.add_body_html(_WATCH)
