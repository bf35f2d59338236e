/**
 * A certificate of `localhost` that is valid for a hundred years, and its key, for tests alone. Made by `openssl req
 * -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 36500 -subj /CN=localhost`.
 */
export const tls = {
  key: `-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgEJhUK+ri3GqZpejS
V0s0IsNNP/Z2CWhjXOOj6fc4apKhRANCAAQbhEm38By9nQKQ/3ADOvQxtBlY6D2t
lRoZ0bHKqooQmMaJdbTz9snZRtb0dFcdt/3CsaobISZeIZn6JjwlXE55
-----END PRIVATE KEY-----`,
  cert: `-----BEGIN CERTIFICATE-----
MIIBgDCCASWgAwIBAgIUYR9iwAMwExFkGy+XL2lTEyDNUQQwCgYIKoZIzj0EAwIw
FDESMBAGA1UEAwwJbG9jYWxob3N0MCAXDTI2MTEyOTE0MjcxMVoYDzIxMjYxMTA1
MTQyNzExWjAUMRIwEAYDVQQDDAlsb2NhbGhvc3QwWTATBgcqhkjOPQIBBggqhkjO
PQMBBwNCAAQbhEm38By9nQKQ/3ADOvQxtBlY6D2tlRoZ0bHKqooQmMaJdbTz9snZ
Rtb0dFcdt/3CsaobISZeIZn6JjwlXE55o1MwUTAdBgNVHQ4EFgQUhRF5oTJM7kvt
qDQfQMjn/v7lHqQwHwYDVR0jBBgwFoAUhRF5oTJM7kvtqDQfQMjn/v7lHqQwDwYD
VR0TAQH/BAUwAwEB/zAKBggqhkjOPQQDAgNJADBGAiEAzhEXquwVAGhAaURvy0Zd
50SN3JqUl1B6tBqqm+WmwlMCIQDIG6e9I4XY2HFWEmWuFVipTD9vxoiSt5m9FxJG
2p8jCA==
-----END CERTIFICATE-----`
}
