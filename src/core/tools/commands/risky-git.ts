import { hasLong, hasShort, hasWord, setOf } from './command-options.ts';

/** Subcommands that run no arbitrary programs if their options are checked. */
const known = setOf(`
  add am apply archive bisect blame branch cat-file check-attr check-ignore checkout cherry cherry-pick clean clone commit
  config count-objects describe diff diff-files diff-index diff-tree fetch for-each-ref format-patch fsck gc grep
  hash-object init log ls-files ls-remote ls-tree merge merge-base mv name-rev notes prune pull push range-diff rebase
  reflog remote reset restore rev-list rev-parse revert rm shortlog show show-ref sparse-checkout stash status
  submodule switch symbolic-ref tag version whatchanged worktree
`);

const plainOptions = setOf('--version --no-pager --no-optional-locks --literal-pathspecs');

/** Why a git command may run other programs; undefined if it does not. */
export function whyGitIsRisky(args: readonly string[]): string | undefined {
  const start = args.findIndex((arg) => !plainOptions.has(arg));
  if (start < 0) return undefined;
  const [subcommand = '', ...rest] = args.slice(start);
  if (subcommand.startsWith('-'))
    return `git ${subcommand} changes what git runs, or where: leave it out, and set the directory in cwd`;
  if (!known.has(subcommand)) return `git ${subcommand} may be an alias or a program of its own`;
  return whySubcommandIsRisky(subcommand, rest);
}

function whySubcommandIsRisky(subcommand: string, args: readonly string[]): string | undefined {
  const [first = ''] = args;
  if (hasLong(args, 'upload-pack', 'receive-pack', 'exec', 'ext-diff', 'open-files-in-pager', 'extcmd'))
    return `An option of git ${subcommand} names a program that it runs`;
  if (args.some((arg) => /^[\w-]+::/.test(arg) || /(^|=)ext::/.test(arg)))
    return 'An address of this kind makes git run a program';
  switch (subcommand) {
    case 'config':
      return hasWord(args, '--get', '--get-all', '--get-regexp', '--list', '-l', 'get', 'list') &&
        !hasWord(args, 'set', 'unset', '--add', '--unset', '--replace-all')
        ? undefined
        : 'The configuration of git names programs that it runs';
    case 'rebase':
      return hasShort(args, 'xi') || hasLong(args, 'interactive')
        ? 'git rebase may run programs here'
        : undefined;
    case 'grep':
      return hasShort(args, 'O') ? 'git grep -O runs a program' : undefined;
    case 'clone':
      return hasShort(args, 'uc') || hasLong(args, 'config', 'template')
        ? 'An option of git clone sets what git runs'
        : undefined;
    case 'init':
      return hasLong(args, 'template') ? 'A template of git init brings hooks along' : undefined;
    case 'bisect':
      return first === 'run' ? 'git bisect run runs a program' : undefined;
    case 'submodule':
      return first === 'status' || first === '' ? undefined : `git submodule ${first} runs other programs`;
    default:
      return undefined;
  }
}
