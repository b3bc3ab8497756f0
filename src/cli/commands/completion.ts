import { Argument, type Command } from 'commander';
import type { Cli } from '../cli.ts';
import { withExamples } from '../program.ts';

const scripts = {
  bash: `# svc completion for bash. Load it: eval "$(svc completion bash)"
_svc() {
  local IFS=$'\\n'
  COMPREPLY=($(svc __complete -- "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null | cut -f1))
}
complete -o default -F _svc svc
`,
  zsh: `#compdef svc
# svc completion for zsh. Load it: eval "$(svc completion zsh)"
_svc() {
  local -a candidates
  local name text
  while IFS=$'\\t' read -r name text; do
    candidates+=("\${name//:/\\\\:}:$text")
  done < <(svc __complete -- "\${(@)words[2,CURRENT]}" 2>/dev/null)
  if (( \${#candidates} )); then _describe svc candidates; else _files; fi
}
compdef _svc svc
`,
  fish: `# svc completion for fish. Load it: svc completion fish | source
function __svc_complete
  set -l words (commandline -opc) (commandline -ct)
  svc __complete -- $words[2..] 2>/dev/null
end
complete -c svc -f -k -a '(__svc_complete)'
complete -c svc -n '__fish_seen_subcommand_from import' -F
`,
};
type Shell = keyof typeof scripts;

/** `svc completion`. */
export function fillCompletion(command: Command, cli: Cli): void {
  withExamples(command, [
    'eval "$(svc completion bash)"',
    'svc completion zsh > ~/.zfunc/_svc',
    'svc completion fish > ~/.config/fish/completions/svc.fish',
  ])
    .addArgument(new Argument('<shell>', 'the shell').choices(Object.keys(scripts)))
    .action((shell: Shell) => cli.output.write(scripts[shell]));
}
