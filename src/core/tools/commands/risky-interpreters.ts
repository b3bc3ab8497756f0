import { programName, setOf } from './command-options.ts';

interface Interpreter {
  /** Options that may precede the script. */
  plain: RegExp;
  /** Matches all arguments of invocations that need no script. */
  alone: RegExp;
}

const version = /^(-v|-V|--version|-h|--help)$/;
const shell: Interpreter = { plain: /^(-[euxvnf]+|--posix|--norc|--noprofile)$/, alone: /^--version$/ };
const other: Interpreter = { plain: /^-w$/, alone: version };

const interpreters: Record<string, Interpreter> = {
  ...Object.fromEntries(
    [...setOf('sh bash rbash dash ash zsh ksh mksh fish csh tcsh')].map((name) => [name, shell]),
  ),
  ...Object.fromEntries(
    [...setOf('lua luajit tclsh rscript escript elixir ocaml nodejs pypy')].map((name) => [name, other]),
  ),
  python: {
    plain: /^-[uBOIEsSbv]+$/,
    alone: /^(-V|--version|-h|--help|-m (pytest|unittest|py_compile|compileall|mypy|black|flake8)( .*)?)$/s,
  },
  perl: { plain: /^-[wTtc]+$/, alone: /^(-v|-V|--version|--help)$/ },
  ruby: { plain: /^-[wc]+$/, alone: /^(-v|--version|--help)$/ },
  node: {
    plain: /^(--check|-c|--test|--no-warnings|--experimental-strip-types|--enable-source-maps)$/,
    alone: /^(-v|--version|-h|--help|--test)$/,
  },
  php: { plain: /^(-l|-f|-n)$/, alone: /^(-v|-m|-i|--version|--help)$/ },
};

/** Whether a program runs code from a file that it is given. */
export const isInterpreter = (program: string): boolean => Object.hasOwn(interpreters, programName(program));

/** Why an interpreter may run code from its arguments or input; undefined if it runs a file, or is no interpreter. */
export function whyInterpreterIsRisky(name: string, args: readonly string[]): string | undefined {
  const found = Object.hasOwn(interpreters, name) ? interpreters[name] : undefined;
  if (!found || found.alone.test(args.join(' '))) return undefined;
  const script = args.find((arg) => !found.plain.test(arg));
  const isFile = script !== undefined && !/^[-+]|^$/.test(script) && !/^\/(dev|proc)\//.test(script);
  return isFile ? undefined : `${name} runs code from its arguments or its input, not from a file`;
}
