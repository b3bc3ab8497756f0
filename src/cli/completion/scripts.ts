/** The completion script of each shell. */
export const scripts = {
  bash: `# svc completion for bash. Load it: eval "$(svc completion bash)"
_svc() {
  local i word current prefix= joins=
  local -a words
  words=()
  # Bash splits words at colons, which names of models have, and before the value of --option=value.
  for ((i = 1; i <= COMP_CWORD; i++)); do
    word=\${COMP_WORDS[i]}
    if [[ $word == = ]]; then
      if ((i < COMP_CWORD)); then continue; fi
      word=
    fi
    if [[ \${#words[@]} -gt 0 && ($joins || $word == :*) ]]; then
      words[\${#words[@]}-1]+=$word
    else
      words+=("$word")
    fi
    if [[ $word == *: ]]; then joins=1; else joins=; fi
  done
  current=\${words[\${#words[@]}-1]}
  if [[ $COMP_WORDBREAKS == *:* && $current == *:* ]]; then prefix=\${current%"\${current##*:}"}; fi
  COMPREPLY=()
  while IFS= read -r word; do
    COMPREPLY+=("\${word#"$prefix"}")
  done < <(svc __complete -- "\${words[@]}" 2>/dev/null | cut -f1)
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
# As a file of fpath, the first completion runs all of this; it has to complete, too.
if [[ \${funcstack[1]} == _svc ]]; then
  _svc "$@"
else
  if (( ! \${+functions[compdef]} )); then autoload -Uz compinit && compinit; fi
  compdef _svc svc
fi
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
