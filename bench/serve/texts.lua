-- wrk's requests to a dragoman server: the lines of the file $LINES, one after the other, $TEXTS at a time (1), with a
-- random pause of $PAUSE milliseconds on average before each request of a connection (none).
--   LINES=test.en wrk -t1 -c32 -d10s --latency -s bench/serve/texts.lua http://127.0.0.1:5000
local texts = tonumber(os.getenv("TEXTS") or "1")
local pause = tonumber(os.getenv("PAUSE") or "0")
local lines, last = {}, 0
for line in io.lines(os.getenv("LINES")) do lines[#lines + 1] = '"' .. line:gsub('[\\"]', '\\%0') .. '"' end

wrk.method = "POST"
wrk.headers["Content-Type"] = "application/json"

function request()
  local list = {}
  for i = 1, texts do
    last = last % #lines + 1
    list[i] = lines[last]
  end
  local q = texts == 1 and list[1] or "[" .. table.concat(list, ",") .. "]"
  return wrk.format(nil, "/translate", nil, '{"source": "en", "target": "de", "q": ' .. q .. "}")
end

if pause > 0 then
  function delay() return math.random(0, 2 * pause) end
end
