// Writes the manual page svc.1 in the man macros of roff, from the same data as the help.

/** The whole page; `cli` is what bin/generate.js loads of the commands. */
export function manPage(cli) {
  const nouns = cli.nouns.filter(({ isHidden }) => !isHidden);
  const topic = (name) => cli.helpTopics.find((each) => each.name === name)?.rows ?? [];
  return [
    '.\\" Generated from the commands by bin/generate.js. Do not edit.',
    '.TH SVC 1 "" "svc" "svc manual"',
    '.SH NAME',
    `svc \\- ${text(cli.programSummary.replace(/\.$/, '').replace(/^A /, 'a '))}`,
    '.SH SYNOPSIS',
    '.B svc',
    text('[options] <command>'),
    '.SH DESCRIPTION',
    text('One daemon accepts, stores and runs tasks; every other command is a client of its API.'),
    text('Most commands start the daemon of this machine if none runs.'),
    '.SH OPTIONS',
    ...cli.globalOptions.filter(({ isHidden }) => !isHidden).flatMap((each) => option(cli, each)),
    ...item('-V, --version', 'Print the version'),
    ...item('-h, --help', 'Show help'),
    '.SH COMMANDS',
    ...nouns.flatMap((noun) => command(cli, noun, `svc ${noun.name}`)),
    '.SH EXIT STATUS',
    ...topic('exit-codes').flatMap(([term, meaning]) => item(term, meaning)),
    '.SH ENVIRONMENT',
    ...topic('environment').flatMap(([term, meaning]) => item(term, meaning)),
    '.SH OUTPUT',
    ...topic('formats').flatMap(([term, meaning]) => item(term, meaning)),
    '.SH FILES',
    text('The settings, the data and the log are in directories that'),
    '.B svc config path',
    text('prints.'),
    '.SH EXAMPLES',
    ...example(cli.programExamples),
    '',
  ].join('\n');
}

function command(cli, spec, path) {
  const rows = [
    ...Object.entries(spec.args).flatMap(([name, each]) =>
      item(cli.argumentTerm(name, each), cli.describeValue(each)),
    ),
    ...[...spec.options, ...spec.inherited]
      .filter(({ isHidden }) => !isHidden)
      .flatMap((each) => option(cli, each)),
  ];
  return [
    `.SS ${quoted(path)}`,
    `${text(spec.summary)}.`,
    '.PP',
    `.B ${text(path)}`,
    text(cli.usageOf(spec)),
    ...rows,
    ...cli
      .choiceLists(spec)
      .flatMap(({ title, words }) => ['.PP', `${text(title)}:`, ...words.flatMap((word) => item(...word))]),
    ...(spec.examples.length > 0 ? ['.PP', ...example(spec.examples)] : []),
    ...spec.commands
      .filter(({ isHidden }) => !isHidden)
      .flatMap((child) => command(cli, child, `${path} ${child.name}`)),
  ];
}

const option = (cli, spec) => item(spec.flags, cli.describeValue(spec));

const item = (term, meaning) => ['.TP', `.B ${text(term)}`, text(meaning)];

const example = (lines) => ['.EX', ...lines.map(text), '.EE'];

/** As roff prints it literally: hyphens that can be copied, and no line that looks like a request. */
function text(words) {
  return words
    .replaceAll('\\', '\\e')
    .replaceAll('-', '\\-')
    .replaceAll('"', '\\(dq')
    .replaceAll('…', '...')
    .replace(/^(?=[.'])/gm, '\\&')
    .replace(/^$/gm, '\\&');
}

const quoted = (words) => `"${text(words)}"`;
