-- For wrk: each request asks for another id.
local count = 0
request = function()
  count = count + 1
  return wrk.format(nil, wrk.path .. count)
end
