import type { AllowedArguments } from './allowed-arguments.ts';
import { harmlessFilters } from './harmless-filters.ts';

const anything: AllowedArguments = { options: /^/ };
const none: AllowedArguments = { options: /^--?$/ };
const sums: AllowedArguments = { options: /^(-[btz]+|--binary|--text|--zero|--tag)$/ };

const programs: Record<string, AllowedArguments> = {
  ...harmlessFilters,
  basename: { options: /^(-[az]+|-s.*|--suffix=.*|--multiple|--zero|--)$/ },
  cat: { options: /^(-[AbeEnstTuv]*|--number|--show-\w+(-\w+)?|--)$/ },
  cmp: { options: /^(-[bls]+|-n\d*|-i\d*|--bytes=\d+|--silent|--quiet|--verbose|--)$/ },
  cut: { options: /^(-[bcdfnsz].*|--\w+(-\w+)?(=.*)?|-|--)$/ },
  date: { options: /^(-[uR]+|-I\w*|--utc|--rfc-3339=\w+|--iso-8601(=\w+)?|--date=.*)$/, operand: /^\+/ },
  diff: {
    options:
      /^(-[uqsyiwbBEZtacedpT]+|-[uUC]\d*|--(unified|context)(=\d+)?|--brief|--side-by-side|--ignore-[a-z-]+|--color=never|--)$/,
  },
  dirname: { options: /^(-z|--zero|--)$/ },
  du: { options: /^(-[abchklmsx0]+|-d\d*|--max-depth=\d+|--summarize|--human-readable|--apparent-size|--)$/ },
  echo: anything,
  false: none,
  file: { options: /^(-[bihkLnNr0]+|--brief|--mime(-type|-encoding)?|--)$/ },
  grep: {
    options:
      /^(-[EFGPivwxcloqsnHhabZz]+|-[mABCe]\d*|-[ABCm]\d+|--(count|ignore-case|invert-match|word-regexp|line-regexp|line-number|only-matching|quiet|files-with-matches|fixed-strings|extended-regexp|perl-regexp|with-filename|no-filename|text)|--(max-count|context|before-context|after-context|color|regexp)=.*|--)$/,
  },
  head: { options: /^(-[qvz]+|-[nc]?-?\d*[kKMG]?|--(lines|bytes)=.*|--quiet|--verbose|--)$/ },
  ls: { options: /^(-[\w1]+|--[\w-]+(=[\w:.+% -]*)?|--)$/ },
  md5sum: sums,
  printf: anything,
  pwd: { options: /^-[LP]$/, maxOperands: 0 },
  sha1sum: sums,
  sha256sum: sums,
  sha512sum: sums,
  sort: {
    options:
      /^(-[bdfghiMnRrsuVcCmz]+(k[\d.,bdfghiMnRrV]*)?|-k[\d.,bdfghiMnRrV]*|-t.?|--(reverse|unique|numeric-sort|human-numeric-sort|version-sort|ignore-case|check|stable)|--(key|field-separator)=.*|--)$/,
  },
  stat: { options: /^(-[Lft]+|-c.*|--(format|printf)=.*|--terse|--dereference|--)$/ },
  tail: { options: /^(-[qvz]+|-[nc]?[-+]?\d*[kKMG]?|--(lines|bytes)=.*|--quiet|--verbose|--)$/ },
  true: none,
  uniq: { options: /^(-[cdDiuz]+|-[fsw]\d+|--(count|repeated|unique|ignore-case))$/, maxOperands: 1 },
  wc: { options: /^(-[clmLw]+|--(bytes|chars|lines|words|max-line-length)|--)$/ },
};

const history =
  /^(--count|-\d+|-n\d*|-U\d+|-[pswbzSGLiEF]|-[SGL].+|--|--(oneline|stat|shortstat|numstat|name-only|name-status|summary|graph|decorate|all|branches|tags|no-color|cached|staged|merges|no-merges|first-parent|reverse|follow|abbrev-commit|patch|no-patch|raw|check|word-diff|ignore-all-space|ignore-space-change|no-ext-diff|no-textconv|no-renames|exit-code|quiet|date-order|topo-order|merge-base|no-decorate|full-index)|--(format|pretty|date|since|until|after|before|author|committer|grep|max-count|skip|diff-filter|unified|stat|relative|abbrev|decorate)=.*)$/;

const subcommands: Record<string, AllowedArguments> = {
  status: {
    options:
      /^(-[sbuvz]+|-u(no|normal|all)|--(short|branch|long|ignored|show-stash)|--porcelain(=\w+)?|--untracked-files(=\w+)?|--)$/,
  },
  log: { options: history },
  diff: { options: history },
  show: { options: history },
  'rev-parse': {
    options:
      /^--(abbrev-ref|short(=\d+)?|verify|quiet|symbolic-full-name|show-(toplevel|prefix|cdup)|is-inside-work-tree|is-bare-repository|git-dir|absolute-git-dir)$/,
  },
  'ls-files': {
    options:
      /^(-[cdmostuz]+|--(cached|deleted|modified|others|stage|unmerged|killed|exclude-standard|directory|full-name|error-unmatch)|--)$/,
  },
  branch: {
    options:
      /^(-[arv]+|-vv|--(list|all|remotes|verbose|show-current|no-color)|--(contains|merged|no-merged|sort|format)=.*)$/,
    maxOperands: 0,
  },
  blame: { options: /^(-[lstwepfnMC]+|-L.*|--(date|abbrev)=.*|--)$/ },
  remote: { options: /^-v$/, maxOperands: 0 },
  tag: { options: /^(-l|-n\d*|--(list|sort=.*|contains=.*|merged|no-merged))$/, maxOperands: 0 },
  describe: { options: /^--(always|tags|all|long|dirty|abbrev=\d+)$/ },
  stash: {
    options: /^--(oneline|stat)$/,
    operand: /^(list|show|stash@.*)$/,
    check: ([first]) => /^(list|show)$/.test(first ?? ''),
  },
  shortlog: { options: /^(-[sne]+|--(summary|numbered|email))$/ },
  reflog: { options: history, operand: /^(show|(HEAD|main|master)[\w/.~^@{}-]*)$/ },
  'ls-tree': { options: /^(-[rdtlz]+|--(name-only|name-status|full-name|full-tree|long|abbrev(=\d+)?)|--)$/ },
  'cat-file': { options: /^-[ptse]$/ },
  'merge-base': { options: /^--(all|is-ancestor|fork-point|octopus)$/ },
  'rev-list': { options: history },
  'show-ref': { options: /^(-[ds]+|--(heads|tags|head|hash|verify))$/ },
  'for-each-ref': { options: /^--(count|sort|format|points-at|contains|merged)=.*$/ },
  'name-rev': { options: /^--(name-only|tags|always)$/ },
};

/**
 * Whether a command is known to be read-only: one of a few programs, by its plain name, with known options. The guards check
 * the paths in its operands.
 */
export function isHarmless(argv: readonly string[]): boolean {
  const [program = '', ...args] = argv;
  if (program !== 'git') return fits(programs, program, args);
  const [subcommand = '', ...rest] = args[0] === '--no-pager' ? args.slice(1) : args;
  // Git shows signatures with a program that its configuration names.
  if (rest.some((arg) => arg.includes('%G'))) return false;
  return fits(subcommands, subcommand, rest);
}

function fits(known: Record<string, AllowedArguments>, name: string, args: readonly string[]): boolean {
  const rule = Object.hasOwn(known, name) ? known[name] : undefined;
  if (!rule) return false;
  const { options, operand = /^/, maxOperands = Number.POSITIVE_INFINITY, check } = rule;
  const operands = args.filter((arg) => !arg.startsWith('-') || arg === '-');
  return (
    operands.length <= maxOperands &&
    (check?.(args) ?? true) &&
    args.every((arg) => (operands.includes(arg) ? operand.test(arg) : options.test(arg)))
  );
}
