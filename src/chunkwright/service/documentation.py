"""The page at /api that documents the API, and what is told where there is nothing."""

from __future__ import annotations

from fastapi import FastAPI, HTTPException, Request
from fastapi.responses import FileResponse, HTMLResponse, RedirectResponse, Response
from swagger_ui_bundle import swagger_ui_path

_PAGE = """\
<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>chunkwright API</title>
<link rel="icon" type="image/png" href="/api/ui/favicon-32x32.png">
<link rel="stylesheet" href="/api/ui/swagger-ui.css">
</head>
<body>
<main id="ui"><p>All of it as JSON: <a href="/api/openapi.json">openapi.json</a>.</p></main>
<script src="/api/ui/swagger-ui-bundle.js"></script>
<script src="/api/ui/start.js"></script>
</body>
</html>
"""
_START = """\
SwaggerUIBundle({
  url: "/api/openapi.json", dom_id: "#ui", deepLinking: true, validatorUrl: null,
  presets: [SwaggerUIBundle.presets.apis], layout: "BaseLayout", tryItOutEnabled: true,
});
"""
_UI_FILES = ("swagger-ui.css", "swagger-ui-bundle.js", "favicon-32x32.png")


def add_documentation(app: FastAPI) -> None:
    """Have an application answer for all else below /api; its own routes come first."""

    @app.get("/api", include_in_schema=False)
    def documentation() -> HTMLResponse:
        return HTMLResponse(_PAGE)

    @app.get("/docs", include_in_schema=False)
    def moved() -> RedirectResponse:
        return RedirectResponse("/api")

    @app.get("/api/ui/start.js", include_in_schema=False)
    def start() -> Response:
        return Response(_START, media_type="text/javascript")

    @app.get("/api/ui/{name}", include_in_schema=False)
    def ui_file(name: str) -> FileResponse:
        if name not in _UI_FILES:
            raise HTTPException(404, "there is no such file")
        return FileResponse(str(swagger_ui_path / name))

    every = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"]

    @app.api_route("/api/{rest:path}", methods=every, include_in_schema=False)
    def nothing(request: Request) -> None:
        where = f"{request.method} {request.url.path}"
        raise HTTPException(404, f"there is no {where}; /api lists what there is")
