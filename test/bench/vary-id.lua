-- For wrk: each request asks for another id, that no run before asked for either.
local run = os.time()
local count = 0
request = function()
  count = count + 1
  return wrk.format(nil, wrk.path .. run .. '-' .. count)
end
