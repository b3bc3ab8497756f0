/** The completion script of each shell. */
export const scripts = {
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
