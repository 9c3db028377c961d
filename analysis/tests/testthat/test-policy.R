test_that("the policy of a page has the hash of its script", {
  expect_identical(inline_script("<p><script>alert(1)</script></p><script>x</script>"), "alert(1)")
  skip_if(!nzchar(Sys.which("sha256sum")) && !nzchar(Sys.which("shasum")), "no program for checksums")
  expect_match(content_policy("alert(1)"), "script-src 'sha256-bhHHL3z2vDgxUt0W3dWQOrprscmda2Y5pLsLg4GF+pI=';",
    fixed = TRUE)
  expect_match(content_policy(), "^default-src 'none'; script-src 'none'; style-src 'unsafe-inline'; img-src data:;")
})
