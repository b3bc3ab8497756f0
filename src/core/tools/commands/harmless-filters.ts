import type { AllowedArguments } from './allowed-arguments.ts';
import { isPlainSedScript } from './sed-script.ts';

/** Tests and actions of `find` that look at names and attributes, and print. Following links could leave the workspace. */
const find =
  /^-(i?name|i?path|i?wholename|i?regex|regextype|l?xtype|type|maxdepth|mindepth|size|[acm]time|[acm]min|newer\w{0,2}|empty|print0?|printf|ls|prune|not|and|or|[ao]|true|false|quit|x?dev|mount|depth|d|links|inum|samefile|readable|writable|executable|user|group|uid|gid|nouser|nogroup|perm|daystart|noleaf|[ugoa]*[+=][rwxst]+|P|\d+\w?)$/;
const sedOption =
  /^(-[nErsuz]*e?|--(quiet|silent|regexp-extended|null-data|separate|debug|posix|sandbox)|--)$/;

/** The scripts of a `sed` command: the arguments after `-e`, or the first operand. */
function sedScripts(args: readonly string[]): string[] {
  const named = args.flatMap((arg, index) => (/^-[nErsuz]*e$/.test(arg) ? [args[index + 1] ?? ''] : []));
  return named.length > 0 ? named : args.filter((arg) => !arg.startsWith('-')).slice(0, 1);
}

/** Programs that find, select and reshape text. */
export const harmlessFilters: Record<string, AllowedArguments> = {
  find: { options: find },
  sed: {
    options: sedOption,
    check: (args) => {
      const scripts = sedScripts(args);
      return scripts.length > 0 && scripts.every(isPlainSedScript);
    },
  },
  jq: {
    options:
      /^(-[rcSsnejMCa]+|--(arg|argjson|args|jsonargs|slurpfile|rawfile|tab|indent|raw-output|raw-output0|compact-output|sort-keys|slurp|null-input|exit-status|join-output|monochrome-output|raw-input|ascii-output|seq|stream)|-R|-rR|--)$/,
    // Modules are files that no argument names.
    check: (args) => !args.some((arg) => /\b(import|include|get_search_list|input_filename)\b/.test(arg)),
  },
  which: { options: /^(-[as]+|--all)$/ },
  whereis: { options: /^-[bms]+$/ },
  tr: { options: /^(-[cCdst]+|--(complement|delete|squeeze-repeats|truncate-set1)|--)$/ },
  nl: { options: /^-[abdfhilnpsvw].*$/ },
  tac: { options: /^(-[br]+|--(before|regex))$/ },
  rev: { options: /^--$/ },
  fold: { options: /^-[bsw\d]+$/ },
  column: { options: /^-[tsocxnNRH].*$/ },
  comm: { options: /^(-[123z]+|--(check-order|nocheck-order|total|output-delimiter=.*))$/ },
  join: { options: /^-[12aeijotv].*$/ },
  paste: { options: /^-[dsz].*$/ },
  expand: { options: /^-[it\d,]+$/ },
  seq: { options: /^(-[fsw].*|-\d+)$/ },
  expr: { options: /^/ },
  test: { options: /^-[a-zA-Z]+$/ },
  egrep: { options: /^-[ivwxcloqsnHhabZz]+$|^-[mABC]\d+$/ },
  fgrep: { options: /^-[ivwxcloqsnHhabZz]+$|^-[mABC]\d+$/ },
  tree: { options: /^(-[adfFhpsugDCLIPnrtv\d]+|--(noreport|dirsfirst|prune|gitignore|du|si|filelimit))$/ },
  realpath: { options: /^-[emsqz]+$/ },
  readlink: { options: /^-[fenmqsvz]+$/ },
  od: { options: /^-[AtjNvwcxbdo].*$/ },
  hexdump: { options: /^-[Cbcdovxns\d]+$/ },
  xxd: { options: /^-[bceilpsu\d]+$/, maxOperands: 1 },
  base64: { options: /^(-[di]+|-w\d*|--(decode|wrap=\d+))$/ },
  cksum: { options: /^--$/ },
  sha224sum: { options: /^-[bt]+$/ },
  sha384sum: { options: /^-[bt]+$/ },
  b2sum: { options: /^-[bt]+$/ },
  uname: { options: /^-[asnrvmpio]+$/, maxOperands: 0 },
  whoami: { options: /^--$/, maxOperands: 0 },
  nproc: { options: /^--all$/, maxOperands: 0 },
  arch: { options: /^--$/, maxOperands: 0 },
  hostname: { options: /^-[sfi]+$/, maxOperands: 0 },
  uptime: { options: /^-[ps]+$/, maxOperands: 0 },
  locale: { options: /^-a$/, maxOperands: 0 },
  printenv: { options: /^-0$/ },
  df: { options: /^(-[ahHikPTl]+|--(human-readable|total))$/ },
  free: { options: /^-[bkmght]+$/, maxOperands: 0 },
  sleep: { options: /^--$/, operand: /^\d{1,2}(\.\d+)?s?$/ },
};
