import type { HostileCall } from './scene.ts';

const nested = (depth: number) => `${'['.repeat(depth)}${']'.repeat(depth)}`;

/** Names that are nobody's tool. */
const names = [
  '__proto__',
  'constructor',
  'toString',
  'hasOwnProperty',
  'READ_FILE',
  'read_file ',
  ' read_file',
  'read_file\n',
  'read_file\0',
  'read\u200b_file',
  'r\u0435ad_file',
  'run_command;ls',
  'mcp__records__missing',
  'mcp__missing__echo',
  'mcp__records__echo/../echo',
  '../../etc/passwd',
  '<script>alert(1)</script>',
  "'; drop table audit_log; --",
  '\u202eelif_daer',
  '💥',
  'half\ud800',
  `${'x'.repeat(199)}💥`,
  'x'.repeat(5000),
];

/** Arguments that are not what a tool takes, as objects or as the text that a model wrote. */
const odd: [string, unknown][] = [
  ['read_file', 'null'],
  ['read_file', '[]'],
  ['read_file', '"notes.txt"'],
  ['read_file', '7'],
  ['read_file', '{"path":'],
  ['read_file', '{}'],
  ['read_file', { path: null }],
  ['read_file', { path: 7 }],
  ['read_file', { path: ['notes.txt'] }],
  ['read_file', { path: { toString: 'notes.txt' } }],
  ['read_file', { path: 'notes.txt', offset: '1' }],
  ['read_file', { path: 'notes.txt', offset: -1 }],
  ['read_file', { path: 'notes.txt', limit: 1e308 }],
  ['read_file', '{"path":"notes.txt","path":"/etc/passwd"}'],
  ['read_file', '{"path":"notes.txt","__proto__":{"path":"/etc/passwd"}}'],
  ['read_file', '{"__proto__":{"path":"notes.txt"}}'],
  ['read_file', '{"constructor":{"prototype":{"path":"notes.txt"}}}'],
  ['read_file', `{"path":"notes.txt","more":"\\ud800"}`],
  ['list_directory', { path: 3 }],
  ['search_files', { pattern: '*'.repeat(2000) }],
  ['search_files', { pattern: ['*'] }],
  ['grep', { pattern: '(' }],
  ['grep', { pattern: '' }],
  ['write_file', { path: 'new.txt' }],
  ['write_file', { path: 'new.txt', content: 7 }],
  ['write_file', { path: 'new.txt', content: 'half \ud800' }],
  ['edit_file', { path: 'notes.txt', oldText: '', newText: 'x' }],
  ['run_command', { command: ['ls'] }],
  ['run_command', { command: { toString: 'ls' } }],
  ['run_command', { command: 'ls', timeoutMs: 0 }],
  ['run_command', { command: 'ls', timeoutMs: 1e9 }],
  ['run_command', { command: 'ls', cwd: 7 }],
  ['web_fetch', { url: ['https://example.com'] }],
  ['web_fetch', { url: { href: 'https://example.com' } }],
  ['memory_search', { query: 7 }],
  ['task_create', { title: '', prompt: 'x' }],
  ['task_status', { taskId: '../../x' }],
  ['mcp__records__echo', { text: 'half \ud800' }],
];

const MEGABYTE = 1_200_000;

/** Calls that are too large. */
export const hugeCalls = (): HostileCall[] =>
  [
    { name: 'read_file', args: { path: 'p'.repeat(MEGABYTE) } },
    { name: 'write_file', args: { path: '../'.repeat(MEGABYTE / 3), content: 'x' } },
    { name: 'run_command', args: { command: 'c'.repeat(MEGABYTE) } },
    { name: 'run_command', args: { command: `ls ${'a '.repeat(MEGABYTE / 2)}` } },
    { name: 'web_fetch', args: { url: `http://127.0.0.1/${'x'.repeat(MEGABYTE)}` } },
    { name: 'task_create', args: { title: 'x', prompt: 'p'.repeat(MEGABYTE) } },
    { name: 'mcp__records__echo', args: { path: `${'../'.repeat(MEGABYTE / 3)}etc/passwd` } },
    { name: 'n'.repeat(MEGABYTE), args: {} },
  ].map((call) => ({ ...call, ends: 'never' }));

/** A call that no parser of the model's answers reads to its end. */
export const deepCall = (): HostileCall => ({
  name: 'mcp__records__echo',
  args: `{"text":${nested(200_000)}}`,
  ends: 'never',
});

/** Calls that make no sense. */
export const oddCalls = (): HostileCall[] => [
  ...names.map((name): HostileCall => ({ name, args: { path: 'notes.txt' }, ends: 'never' })),
  ...odd.map(([name, args]): HostileCall => ({
    name,
    args,
    ends: name === 'task_status' ? 'fails' : 'never',
  })),
];
