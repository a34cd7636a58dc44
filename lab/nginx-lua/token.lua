-- Verifies tokens (JWS in its compact form, RS256 and ES256) in nginx, with what Debian has for it: luaossl for signatures, cjson for JSON,
-- and lua-resty-lrucache for those that were verified.

local cjson = require "cjson.safe"
local digest = require "openssl.digest"
local lrucache = require "resty.lrucache"
local pkey = require "openssl.pkey"

local KEPT_MAX = 10000
local SKEW_S = 60

local keys, issuer, audience = {}, nil, nil
local kept = lrucache.new(KEPT_MAX)

local M = {}

-- `pems` are public keys by the algorithm that they are for.
function M.trust(pems, of, for_whom)
  for algorithm, pem in pairs(pems) do keys[algorithm] = pkey.new(pem, "PEM") end
  issuer, audience = of, for_whom
end

local function decoded(text)
  return ngx.decode_base64((text:gsub("-", "+"):gsub("_", "/") .. ("="):rep(-#text % 4)))
end

local function integer(octets)
  octets = octets:gsub("^%z+", "")
  if octets == "" or octets:byte() >= 128 then octets = "\0" .. octets end
  return "\2" .. string.char(#octets) .. octets
end

-- OpenSSL wants signatures of curves in DER; tokens have the two numbers (RFC 7518 section 3.4).
local function in_der(signature)
  if #signature ~= 64 then return nil end
  local numbers = integer(signature:sub(1, 32)) .. integer(signature:sub(33))
  return "\48" .. string.char(#numbers) .. numbers
end

local function verified(field)
  local head, claims, signature = field:match("^Bearer ([%w_-]+)%.([%w_-]+)%.([%w_-]+)$")
  if not head then return nil end
  local signed = field:sub(8, 8 + #head + #claims)
  local said = cjson.decode(decoded(head) or "")
  local key = type(said) == "table" and keys[said.alg]
  signature = decoded(signature)
  if key and signature and said.alg == "ES256" then signature = in_der(signature) end
  if not (key and signature and key:verify(signature, digest.new("sha256"):update(signed))) then return nil end
  said = cjson.decode(decoded(claims) or "")
  if type(said) ~= "table" or said.iss ~= issuer or said.aud ~= audience or type(said.exp) ~= "number" then return nil end
  return said
end

-- Who the request is from; else it is answered with 401.
local function consumer(token)
  if not token or ngx.time() >= token.exp + SKEW_S then return ngx.exit(401) end
  return token.sub
end

-- Keeps what it has verified.
function M.kept()
  local field = ngx.var.http_authorization
  if not field then return ngx.exit(401) end
  local token = kept:get(field)
  if not token then
    token = verified(field)
    if token then kept:set(field, token) end
  end
  return consumer(token)
end

-- Verifies each anew.
function M.anew()
  local field = ngx.var.http_authorization
  return consumer(field and verified(field))
end

return M
