-- Given to wrk by the lab. What kind of request is sent is chosen by the words after "--"; the request is built once, so that
-- the load costs the same for every proxy; with a file of tokens, one for each of them. Results are printed as one line of JSON.

local browser = {
  ["Accept"] = "text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,image/apng,*/*;q=0.8",
  ["Accept-Encoding"] = "gzip, deflate, br, zstd",
  ["Accept-Language"] = "en-GB,en;q=0.9,de;q=0.8,zh-CN;q=0.7,zh;q=0.6",
  ["Cache-Control"] = "max-age=0",
  ["Priority"] = "u=0, i",
  ["Referer"] = "https://shop.example.com/catalogue/garden/tools?sort=price&page=3",
  ["Sec-Ch-Ua"] = '"Chromium";v="138", "Not=A?Brand";v="24", "Example";v="138"',
  ["Sec-Ch-Ua-Mobile"] = "?0",
  ["Sec-Ch-Ua-Platform"] = '"Linux"',
  ["Sec-Fetch-Dest"] = "document",
  ["Sec-Fetch-Mode"] = "navigate",
  ["Sec-Fetch-Site"] = "same-origin",
  ["Sec-Fetch-User"] = "?1",
  ["Upgrade-Insecure-Requests"] = "1",
  ["User-Agent"] = "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/138.0.0.0 Safari/537.36",
}

-- As many cookies as make the whole request 2 KiB long.
local function cookies(path)
  local length = #"GET  HTTP/1.1\r\n\r\nCookie: \r\n" + #path
  for name, value in pairs(wrk.headers) do length = length + #name + #value + 4 end
  local parts, i = {}, 0
  local left = 2048 - length
  while left > 0 do
    i = i + 1
    local cookie = string.format("c%02d=%s; ", i, string.rep(string.char(96 + (i % 26) + (i % 26 == 0 and 26 or 0)), 48))
    cookie = string.sub(cookie, 1, left)
    parts[#parts + 1] = cookie
    left = left - #cookie
  end
  return (string.gsub(table.concat(parts), "[; =]+$", "x"))
end

-- Requests that carry the tokens of a file, one a line, in turn.
local function with_tokens(file)
  local requests, at = {}, 0
  for token in io.lines(file) do
    wrk.headers["Authorization"] = "Bearer " .. token
    requests[#requests + 1] = wrk.format()
  end
  request = function()
    at = at % #requests + 1
    return requests[at]
  end
end

function init(args)
  for _, word in ipairs(args) do
    if word == "browser-headers" then
      for name, value in pairs(browser) do wrk.headers[name] = value end
      wrk.headers["Cookie"] = cookies(wrk.path)
    elseif word == "close" then
      wrk.headers["Connection"] = "close"
    elseif string.find(word, "^header:") then
      local name, value = string.match(word, "^header:([^=]+)=(.*)$")
      wrk.headers[name] = value
    elseif string.find(word, "^tokens:") then
      with_tokens(string.sub(word, #"tokens:" + 1))
    elseif word ~= "plain" then
      error("unknown kind of request: " .. word)
    end
  end
end

function done(summary, latency, requests)
  local e = summary.errors
  print(string.format(
    'LAB {"requests": %d, "duration_us": %d, "bytes": %d, "p50_us": %d, "p90_us": %d, "p99_us": %d, "p999_us": %d, ' ..
    '"max_us": %d, "errors": {"connect": %d, "read": %d, "write": %d, "timeout": %d, "status": %d}}',
    summary.requests, summary.duration, summary.bytes, latency:percentile(50), latency:percentile(90),
    latency:percentile(99), latency:percentile(99.9), latency.max, e.connect, e.read, e.write, e.timeout, e.status))
end
