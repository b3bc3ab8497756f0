import { describe, expect, it } from 'vitest';
import { isHarmless } from '../../../../src/core/tools/commands/harmless-programs.ts';
import { whyRisky } from '../../../../src/core/tools/commands/risky-programs.ts';
import { argvOf, linesOf } from './command-setup.ts';

const risky = linesOf(String.raw`
  sh -c id
  /bin/sh -c id
  ./sh -c id
  SH -c id
  bash -ec id
  bash -e -c id
  bash --norc -c id
  bash +x -c id
  bash
  bash -
  sh -s
  sh /dev/stdin
  bash /proc/self/fd/0
  bash -i
  bash5 -c id
  dash -c id
  zsh -c id
  fish -c id
  ksh -c id
  busybox sh -c id
  busybox ls
  toybox ls
  env ls
  env -S 'sh -c id'
  env -i A=b sh
  xargs rm
  xargs
  timeout 5 ls
  timeout 5 nice -n 5 env sh -c id
  nice ls
  nohup ls
  stdbuf -o0 ls
  setsid ls
  flock file ls
  script -c id
  watch ls
  parallel ls
  /usr/bin/time ls
  chroot / ls
  unshare ls
  nsenter ls
  sudo ls
  su -c id
  doas ls
  ssh host
  scp -S ./evil a b:c
  scp -o ProxyCommand=evil a b:c
  systemd-run ls
  at now
  crontab file
  docker run x
  podman run x
  gdb ls
  strace ls
  ltrace ls
  /lib64/ld-linux-x86-64.so.2 /bin/sh
  find . -exec rm '{}' ';'
  find . -execdir ls
  find . -ok ls
  find . -okdir ls
  find . -delete
  find . -fprint file
  find . -fprintf file x
  find . -fls file
  git -c core.pager=evil log
  git -ccore.pager=evil log
  git --exec-path=. status
  git --config-env=a=b status
  git -C sub log
  git --git-dir=evil status
  git --work-tree=x status
  git -p log
  git evil
  git difftool
  git mergetool
  git grep -Oevil x
  git grep --open-files-in-pager=evil x
  git grep --open x
  git rebase --exec id HEAD~1
  git rebase -x id HEAD~1
  git rebase -i HEAD~1
  git bisect run ls
  git submodule foreach ls
  git submodule update
  git diff --ext-diff
  git log -p --ext-diff
  git fetch --upload-pack=evil
  git fetch --upload-p evil
  git push --receive-pack evil
  git ls-remote 'ext::sh -c id'
  git clone -u evil x y
  git clone --config core.x=y x
  git clone --template=evil x
  git archive --exec=evil --remote=x HEAD
  git config alias.x '!id'
  git config --add core.pager evil
  git filter-branch x
  git send-email x
  git hook run x
  git help -w log
  tar --to-command=evil -xf a.tar
  tar --to-com=evil -xf a.tar
  tar --checkpoint=1 --checkpoint-action=exec=id -cf a b
  tar -I evil -cf a b
  tar cIf evil a b
  tar -cf a --use-compress-program=evil b
  tar -cf a -F evil b
  tar -xf host:file
  rsync -e evil a b:c
  rsync -ave evil a b:c
  rsync --rsh=evil a b
  rsync a host:b
  awk 'BEGIN{system("id")}'
  awk 'BEGIN{"id"|getline x}'
  awk '{print > "file"}'
  awk 'BEGIN{f="sys" "tem"; @f("id")}'
  gawk -i inplace '{print}'
  gawk '{print | "sh"}'
  sed e
  sed '1e id' file
  sed 's/a/b/e' file
  sed 's/a/b/w out' file
  sed -n 'w out' file
  sed -n '/x/w out' file
  sed --expression='1e id' file
  sed -f script file
  sed p -e 'e id' file
  sed 'p;e id' file
  perl -e 'print 1'
  perl -ne 'print 1' file
  perl
  perl -wE 'say 1'
  perl5.36 -e 1
  python -c 'print(1)'
  python3 -c 'print(1)'
  python3.11 -Ic 'print(1)'
  python3 -
  python3
  python3 -m http.server
  python3 -m timeit id
  python3 -i file.py
  ruby -e 'puts 1'
  node -e 1
  node --eval=1
  node -p 1
  node
  node -r ./evil.js file.js
  node --import=./evil.js file.js
  nodejs -e 1
  php -r 'echo 1;'
  php -B x
  lua -e 'print(1)'
  lua -
  deno eval 1
  deno run file.ts
  bun -e 1
  bun x evil
  make SHELL=evil
  make SHELL:=evil
  make 'CC=sh -c id'
  make 'X!=id'
  make -f - all
  make --eval='x:;id'
  make -E 'x:;id'
  vim file
  vi -c ':!id' file
  less file
  man -P evil ls
  more file
  ed file
  emacs file
  dd if=a of=b
  curl -o file http://x
  wget http://x
  nc host 1
  socat - exec:id
  npm exec evil
  npm x evil
  npm install evil
  npm ci
  npm --loglevel test exec evil
  npm run build --script-shell=./evil
  npx evil
  yarn dlx evil
  yarn
  pnpm add evil
  pip install evil
  pip3 install evil
  pipx run evil
  uv run evil
  cargo install evil
  cargo --config x build
  go run evil@latest
  go test -exec evil
  go build -toolexec evil
  go -C x build
  gem install evil
  apt install evil
  apt-get install evil
  brew install evil
  sort --compress-program=evil file
  sort --comp=evil file
  split --filter=evil file
  zip -T -TT evil a b
  install --strip-program=evil a b
  rg --pre evil x
  fd -x rm
  cmake -E env sh
  cmake -P evil
  gcc -wrapper evil a.c
  gcc -fplugin=evil.so a.c
  m4 file
  sqlite3 db '.shell id'
  tmux new
  screen
  make LD_PRELOAD=evil
  make PATH=.
  make GIT_SSH=evil
  make BASH_ENV=evil
  kubectl get x
`);

const plain = linesOf(String.raw`
  ls -la
  cat file
  cp a b
  rm -rf build
  mkdir -p a/b
  touch file
  grep -rn word src
  find . -name '*.ts' -type f
  git status
  git --no-pager log --oneline -n 5
  git commit -m 'a message'
  git add -A
  git rebase main
  git diff --stat --exit-code
  git grep -n word
  git config --get user.name
  git submodule status
  git --version
  make
  make -j4 test CC=gcc V=1
  make -f other.mk
  node build.js
  node --test
  node --test test/a.test.js
  node --version
  python3 script.py -c 1
  python3 -m pytest -x
  python3 -u script.py
  python3 --version
  perl script.pl
  perl -w script.pl
  ruby script.rb
  php script.php
  php -v
  lua script.lua
  sh script.sh
  bash -ex script.sh -c x
  ./run.sh -c x
  npm test
  npm run build
  npm --version
  yarn test
  cargo build --release
  go test ./...
  pip list
  tar -czf a.tgz src
  tar xzf a.tgz
  tar --exclude=x -cf a.tar b
  rsync -a --exclude=x a b
  awk '{ print $1 }' file
  awk -F, '{ s += $2 } END { print s }' file
  sed -n 5,10p file
  sed 's/a/b/g' file
  sed -i 's|a/b|c|' file
  sed --sandbox 'y/abc/def/;p' file
  sort -u file
  tsc --noEmit
  gcc -O2 -o a a.c
  zip -r a.zip b
  jq . file
`);

describe('whyRisky', () => {
  it.each(risky)('gives a reason for %s', (command) => {
    const argv = argvOf(command);
    expect(whyRisky(argv)).toMatch(/^\S.*[^.]$/);
    expect(isHarmless(argv)).toBe(false);
  });

  it.each(plain)('gives no reason for %s', (command) => {
    expect(whyRisky(argvOf(command))).toBeUndefined();
  });

  it.each(['constructor', '__proto__', 'toString'])(
    'does not treat the inherited property %s as a program',
    (name) => {
      expect(whyRisky([name, name])).toBeUndefined();
      expect(isHarmless([name])).toBe(false);
      expect(isHarmless(['git', name])).toBe(false);
    },
  );
});
