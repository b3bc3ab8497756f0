import { hasLong, hasShort, hasWord, programName, setOf } from './command-options.ts';
import { whyGitIsRisky } from './risky-git.ts';
import { isPlainSedScript } from './sed-script.ts';
import { whyInterpreterIsRisky } from './risky-interpreters.ts';

/** Programs whose purpose is to run other programs. */
const wrappers = setOf(`
  ansible ansible-playbook aa-exec at batch bpftrace busybox bwrap catchsegv cgexec chpst choom chroot chrt cmd command
  crontab daemonize dbus-launch dbus-run-session direnv docker doas dumb-init eatmydata entr env exec expect fakechroot
  fakeroot faketime firejail flatpak flock gdb gosu hyperfine i linux ionice kubectl ldd lldb logsave ltrace
  mise asdf m4 mosh multitime newgrp nerdctl nice nohup nsenter numactl parallel perf pkexec podman prlimit proot proxychains
  rlwrap rlogin rsh run-parts runcon runuser s6-setuidgid screen script scriptreplay service setarch setpriv setsid sg snap
  softlimit ssh ssh-agent sshpass start-stop-daemon stdbuf strace su su-exec sudo systemctl systemd-run systemd-inhibit
  taskset tcpdump time timeout tini tmux torify torsocks toybox unbuffer unshare uv vagrant valgrind watch watchexec xargs
  x86_64 xvfb-run
  elvish erl ghci groovy guile irb ipython iex jshell julia nu octave osascript powershell pwsh qjs r racket raku runghc sbcl
  scala swipl wish xonsh
`);

/** Whether the purpose of a program is to run others. */
export const isWrapper = (program: string): boolean =>
  wrappers.has(programName(program)) || fetchers.has(programName(program));

/** Programs that can run others interactively: editors, pagers, consoles. */
const consoles = setOf(
  'dc ed emacs ex ftp lftp less man mc more most mysql nano nvim pg psql rvim rview sftp sqlite telnet vi view vim vimdiff',
);

/** Programs that fetch, send or overwrite arbitrary data. */
const movers = setOf(`
  aria2c curl dd fdisk mkfs mount nc ncat netcat nmap openssl scp sendmail mail shred socat umount wget wipefs
`);

/** Programs that download other programs and run them. */
const fetchers = setOf(`
  apk apt apt-get aptitude brew bunx bundle bundler composer conda corepack cpan cpanm dnf dpkg easy_install gem luarocks
  mamba npx nvm opam pacman pipx pnpx poetry rpm rustup stack yum zypper
`);

/** Variables that change what other programs load. */
const loaders =
  /^-{0,2}(LD_\w+|DYLD_\w+|BASH_ENV|ENV|IFS|PATH|SHELL|\.SHELLFLAGS|MAKEFLAGS|NODE_OPTIONS|PERL5\w+|PROMPT_COMMAND|PS4|PYTHON\w+|RUBY(OPT|LIB)|GIT_\w+|EDITOR|VISUAL|PAGER|LESSOPEN)=/;

type Rule = (args: readonly string[]) => string | undefined;

const reasonIf = (isRisky: boolean, reason: string) => (isRisky ? reason : undefined);

const firstWord = (args: readonly string[]) => args.find((arg) => !arg.startsWith('-')) ?? '';

/** Whether the first argument is one of the subcommands, or only asks for the version or help. */
const isSubcommand = (args: readonly string[], subcommands: string): boolean =>
  setOf(`${subcommands} --version -v -V --help help list`).has(args[0] ?? '');

/** Allows subcommands of JavaScript package managers that run what the workspace contains and fetch nothing. */
const packageRule: Rule = (args) =>
  reasonIf(
    !isSubcommand(args, 'test t run run-script start ls root prefix') ||
      hasShort(args, 'c') ||
      hasLong(args, 'call', 'script-shell', 'node-options', 'shell', 'use-node-version'),
    'It fetches programs, or runs programs that its options name',
  );

/** In an action, `>` writes a file; before the first one it compares. */
const writesInAction = (program: string) => {
  const action = program.indexOf('{');
  return action >= 0 && program.indexOf('>', action) >= 0;
};

const awkRule: Rule = (args) =>
  reasonIf(
    args.some(
      (arg) =>
        /system|\||getline|@/.test(arg.replaceAll('||', ' ')) || writesInAction(arg.replaceAll('>=', ' ')),
    ) ||
      hasShort(args, 'ilE') ||
      hasLong(args, 'include', 'load', 'exec'),
    'The awk program may run others, or write files',
  );

function whySedIsRisky(args: readonly string[]): string | undefined {
  if (hasWord(args, '--sandbox')) return undefined;
  const isKnown = args.every(
    (arg) => !arg.startsWith('-') || /^-([nEri]|[nEr]*e?)$/.test(arg) || arg === '-n',
  );
  const scripts = args.flatMap((arg, index) =>
    arg.endsWith('e') && /^-[nEr]*e$/.test(arg) ? [args[index + 1] ?? ''] : [],
  );
  const checked = scripts.length > 0 ? scripts : [firstWord(args)];
  return reasonIf(
    !isKnown || !checked.every(isPlainSedScript),
    'The sed script may run programs or write files. sed --sandbox prevents that',
  );
}

const rules: Record<string, Rule> = {
  git: whyGitIsRisky,
  find: (args) =>
    reasonIf(
      args.some((arg) => /^-(exec|ok|delete|fprint|fls|files0-from)/.test(arg)),
      'find runs programs, deletes or writes files here',
    ),
  awk: awkRule,
  gawk: awkRule,
  mawk: awkRule,
  nawk: awkRule,
  sed: whySedIsRisky,
  gsed: whySedIsRisky,
  tar: tarRule,
  bsdtar: tarRule,
  gtar: tarRule,
  rsync: (args) =>
    reasonIf(
      hasShort(args, 'e') ||
        hasLong(args, 'rsh', 'rsync-path', 'daemon') ||
        args.some((arg) => /^[^/]+:/.test(arg)),
      'rsync runs a program to reach others',
    ),
  sort: (args) => reasonIf(hasLong(args, 'compress-program'), 'sort runs the given compression program'),
  split: (args) => reasonIf(hasLong(args, 'filter'), 'split runs a program for each part'),
  zip: (args) =>
    reasonIf(
      hasShort(args, 'T') || hasLong(args, 'unzip-command', 'test'),
      'zip runs the given test program',
    ),
  install: (args) => reasonIf(hasLong(args, 'strip-program'), 'install runs the given strip program'),
  rg: (args) => reasonIf(hasLong(args, 'pre', 'hostname-bin'), 'rg runs the given preprocessor'),
  ag: (args) => reasonIf(hasLong(args, 'pager'), 'ag runs the given pager'),
  fd: (args) =>
    reasonIf(
      hasShort(args, 'xX') || hasLong(args, 'exec', 'exec-batch'),
      'fd runs a program for what it finds',
    ),
  pandoc: (args) =>
    reasonIf(
      hasShort(args, 'FL') || hasLong(args, 'filter', 'lua-filter', 'pdf-engine'),
      'pandoc runs filters',
    ),
  cmake: (args) => reasonIf(hasShort(args, 'EP'), 'cmake runs other programs here'),
  make: makeRule,
  gmake: makeRule,
  gcc: compilerRule,
  cc: compilerRule,
  'g++': compilerRule,
  'c++': compilerRule,
  clang: compilerRule,
  'clang++': compilerRule,
  go: (args) =>
    reasonIf(
      !isSubcommand(args, 'build test vet fmt version doc') ||
        args.some((arg) => /^--?(exec|toolexec|vettool|ldflags|gcflags|overlay|C)\b/.test(arg)),
      'go runs or fetches other programs here',
    ),
  cargo: (args) =>
    reasonIf(
      !isSubcommand(args, 'build b check c test t run r fmt clippy doc tree metadata') ||
        hasLong(args, 'config'),
      'cargo fetches programs, or runs programs that its options name',
    ),
  pip: (args) => reasonIf(!isSubcommand(args, 'show freeze check'), 'pip fetches and runs packages'),
  deno: (args) =>
    reasonIf(
      !isSubcommand(args, 'fmt lint check test') || args.some((arg) => /^\w+:/.test(arg)),
      'deno fetches programs, or runs code from its arguments',
    ),
  bun: (args) =>
    reasonIf(!isSubcommand(args, 'test run'), 'bun fetches programs, or runs code from its arguments'),
  npm: packageRule,
  yarn: packageRule,
  pnpm: packageRule,
};

function tarRule(args: readonly string[]): string | undefined {
  const letters = args[0]?.startsWith('-') ? args : [`-${args[0] ?? ''}`, ...args.slice(1)];
  const runs =
    hasLong(args, 'to-command', 'checkpoint-action', 'use-compress-program', 'info-script') ||
    hasLong(args, 'new-volume-script', 'rmt-command', 'rsh-command');
  return reasonIf(
    runs || hasShort(letters, 'IF') || args.some((arg) => /^[^/]+:/.test(arg)),
    'tar runs a program here',
  );
}

function makeRule(args: readonly string[]): string | undefined {
  const isInput = args.some((arg) => /^(-f|--file=|--makefile=)?(-|\/(dev|proc)\/.*)$/.test(arg));
  const isProgram = args.some((arg) => /^[^-=]+=.*[^\w./,:@%+=-]|^[^-=]+[!:+?]=/.test(arg));
  return reasonIf(
    isInput || isProgram || hasShort(args, 'E') || hasLong(args, 'eval'),
    'The arguments of make change what it runs',
  );
}

function compilerRule(args: readonly string[]): string | undefined {
  return reasonIf(
    args.some((arg) => /^(-wrapper|-fplugin|-B|-specs|--specs|-Xclang|-load|@|-fuse-ld=\/)/.test(arg)),
    'An option makes the compiler load other programs',
  );
}

/**
 * Why a command always needs an approval, such as one that runs code from its arguments, without a full stop. An unknown
 * program is not risky alone, but not harmless either.
 */
export function whyRisky(argv: readonly string[]): string | undefined {
  const [word = '', ...args] = argv;
  const full = (word.split('/').at(-1) ?? '').toLowerCase();
  const name = programName(word);
  const names = [full, name];
  const isOf = (programs: ReadonlySet<string>) => names.some((one) => programs.has(one));
  if (args.some((arg) => loaders.test(arg))) return 'An argument changes what programs load';
  if (isOf(wrappers) || full.startsWith('ld-')) return `${name} runs another program`;
  if (isOf(consoles)) return `${name} can run other programs interactively`;
  if (isOf(movers)) return `${name} sends, fetches or overwrites arbitrary data`;
  if (isOf(fetchers)) return `${name} fetches programs and runs them`;
  const rule = names.map((one) => (Object.hasOwn(rules, one) ? rules[one] : undefined)).find(Boolean);
  return rule?.(args) ?? whyInterpreterIsRisky(name, args);
}
