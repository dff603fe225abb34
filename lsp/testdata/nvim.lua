-- What a person does in Neovim, step by step. SNIPPET is what docs/editors.md
-- tells people to put into their configuration; FOLDER holds the files.
local folder = os.getenv('FOLDER')
dofile(os.getenv('SNIPPET'))
vim.cmd('filetype on | set expandtab')
vim.fn.chdir(folder)

local function fail(message)
  local text = table.concat(vim.api.nvim_buf_get_lines(0, 0, -1, false), '\n')
  io.stderr:write('nvim: ' .. message .. '\n' .. text .. '\n')
  vim.cmd('cquit')
end

local function findings()
  local out = {}
  for _, d in ipairs(vim.diagnostic.get(0)) do
    local line = vim.api.nvim_buf_get_lines(0, d.lnum, d.lnum + 1, false)[1] or '' -- the old ones may point behind the end
    table.insert(out, (d.code or d.user_data.lsp.code) .. ' ' .. line:sub(d.col + 1, d.end_col))
  end
  table.sort(out)
  return table.concat(out, ', ')
end

local function await(want)
  if not vim.wait(60000, function() return findings() == want end, 20) then
    fail('wanted "' .. want .. '", there is "' .. findings() .. '"')
  end
end

local function find(what, add)
  local at = vim.fn.searchpos('\\V' .. what, 'wn')
  if at[1] == 0 then fail(what .. ' is not there') end
  vim.api.nvim_win_set_cursor(0, { at[1], at[2] - 1 + (add or 0) })
end

local function ask(method, params)
  local replies, problem = vim.lsp.buf_request_sync(0, method, params, 60000)
  if not replies then fail(method .. ': ' .. tostring(problem)) end
  for _, reply in pairs(replies) do
    if reply.error then fail(method .. ': ' .. vim.inspect(reply.error)) end
    return reply.result
  end
  fail(method .. ': nobody answers')
end

local function place() return vim.lsp.util.make_position_params(0, 'utf-16') end

local done, problem = pcall(function()
  vim.cmd('edit claim.yaml')
  if not vim.wait(60000, function() return #vim.lsp.buf_get_clients(0) > 0 end, 20) then fail('no client') end
  -- The class is in a file beside.
  await('')

  -- Typing behind characters of two units each.
  find('"x"', 1)
  vim.cmd('normal! cl🦑yy')
  find('count: 1')
  vim.cmd('normal! f1cl-1')
  await('api/count -1')

  find('deviceClassName')
  local hover = ask('textDocument/hover', place())
  if not hover.contents.value:find('deviceClassName', 1, true) then fail(vim.inspect(hover)) end

  find('gpu.example.com')
  local definition = ask('textDocument/definition', place())
  if #definition ~= 1 or not definition[1].uri:find('/class.yaml$') then fail(vim.inspect(definition)) end

  -- The quick fix.
  find('-1')
  local params = vim.lsp.util.make_range_params(0, 'utf-16')
  params.context = { diagnostics = {}, only = { 'quickfix' } }
  local actions = ask('textDocument/codeAction', params)
  if #actions ~= 1 then fail(vim.inspect(actions)) end
  vim.lsp.util.apply_workspace_edit(actions[1].edit, 'utf-16')
  await('')

  -- A proposal, accepted.
  find('deviceClassName: gpu.example.com')
  vim.cmd('normal! oallocationM')
  vim.cmd('normal! $')
  params = place()
  params.position.character = params.position.character + 1
  local proposals = ask('textDocument/completion', params).items
  for _, item in ipairs(proposals) do
    if item.label == 'allocationMode' then
      vim.lsp.util.apply_text_edits({ item.textEdit }, 0, 'utf-16')
    end
  end
  vim.cmd('normal! $')
  params = place()
  params.position.character = params.position.character + 1
  for _, item in ipairs(ask('textDocument/completion', params).items) do
    if item.label == 'All' then vim.lsp.util.apply_text_edits({ item.textEdit }, 0, 'utf-16') end
  end
  find('allocationMode: All')

  local edits = ask('textDocument/formatting', vim.lsp.util.make_formatting_params({}))
  vim.lsp.util.apply_text_edits(edits, 0, 'utf-16')
  await('')
  vim.cmd('write')

  -- Under another name it is another file, and two of one object.
  vim.cmd('saveas copy.yaml')
  vim.cmd('edit')
  await('bundle/duplicate-object gpu')
  vim.cmd('edit claim.yaml')
  vim.cmd('bdelete copy.yaml')
  os.remove('copy.yaml')
  await('')
end)
if not done then fail(tostring(problem)) end
vim.cmd('qall!')
