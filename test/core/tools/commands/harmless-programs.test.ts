import { describe, expect, it } from 'vitest';
import { isHarmless } from '../../../../src/core/tools/commands/harmless-programs.ts';
import { whyRisky } from '../../../../src/core/tools/commands/risky-programs.ts';
import { argvOf, linesOf } from './command-setup.ts';

const harmless = linesOf(String.raw`
  ls
  ls -la --sort=size src
  cat -n a b
  head -n 3 file
  head -5 file
  tail -c 100 file
  tail -n +3 file
  wc -l file
  sort -k2,2n -t, -ru file
  uniq -c file
  cut -d, -f1 file
  diff -u a b
  stat -c %s file
  file -b a
  echo -n hello '$x'
  printf '%s\n' a
  pwd
  true
  false
  date
  date -u +%Y
  date --date=@0 +%F
  basename a/b .c
  dirname a/b
  cmp a b
  sha256sum a
  md5sum a
  du -sh .
  du -h --max-depth=1
  grep -n word file
  grep -iE 'a|b' -A3 file
  git status
  git status --short --branch
  git log --oneline -n 5
  git log -p --stat HEAD~3..HEAD -- src
  git diff --cached
  git diff HEAD~1 -- file
  git show HEAD --stat
  git rev-parse --abbrev-ref HEAD
  git ls-files -o --exclude-standard
  git branch
  git branch -a --list
  git --no-pager log
  find .
  find src -name '*.ts' -not -path './node_modules/*' -type f
  sed -n 1p file
  sed -n '1,20p;30q' file
  jq -r .name package.json
  which node
`);

const notHarmless = linesOf(String.raw`
  ./ls
  /tmp/ls
  /bin/ls
  LS
  rm file
  cp a b
  mv a b
  touch a
  tee file
  sort -o out file
  sort -ro out file
  sort --output=out file
  sort -T dir file
  sort --compress-program=evil file
  sort --files0-from=list
  uniq in out
  uniq -c in out
  tail -f file
  tail -F file
  tail --follow file
  date -s 2020-01-01
  date 010100002020
  date --set=2020-01-01
  date -f file
  file -C -m x
  file -m x y
  file -f list
  file -z x
  diff -r a b
  diff --to-file=x a
  grep -r word .
  grep -R word .
  grep -nr word .
  grep --recursive word .
  grep -d recurse word .
  grep -f patterns file
  grep --file=patterns file
  wc --files0-from=list
  du --files0-from=list
  du -X file
  md5sum -c list
  sha256sum --check list
  stat --file-system x
  cat --evil
  git
  git commit
  git add file
  git branch new
  git branch -d old
  git branch -D old
  git branch -m a b
  git branch --edit-description
  git log --output=file
  git log -o file
  git diff --no-index a b
  git diff --ext-diff
  git diff --textconv
  git log --show-signature
  git log '--format=%G?'
  git log '--pretty=%h %GK'
  git show --output=x
  git -c a=b status
  git -C x status
  git rev-parse --parseopt
  git rev-parse --git-path x
  git ls-files --with-tree=x
  git stash
  git checkout file
  git config --get x
  git status --evil
  node --version
  find . -delete
  find . -exec ls
  find -L .
  sed -i s/a/b/ file
  sed -n 'w out' file
  sed 's/a/b/e' file
  sed -f script file
  jq -f filter file
  jq -L lib . file
  jq 'import "a" as a; .' file
  xxd in out
  hostname new
  awk 1 file
  env
  constructor
  toString x
`);

describe('isHarmless', () => {
  it.each(harmless)('accepts %s as read-only', (command) => {
    expect(isHarmless(argvOf(command))).toBe(true);
    expect(whyRisky(argvOf(command))).toBeUndefined();
  });

  it.each(notHarmless)('does not accept %s as read-only', (command) => {
    expect(isHarmless(argvOf(command))).toBe(false);
  });
});
