import { isBlank, type LineRank, NEW_PART } from './pack-lines.ts';

/** A line that starts a definition in most languages, after optional modifiers. */
const DEFINES =
  /^(?:(?:export|default|declare|pub(?:\([^)]{0,40}\))?|public|private|protected|internal|static|final|abstract|async|override|open|sealed|inline|extern|unsafe|virtual|partial|data|local|const(?= enum| fn)) ){0,5}(?:function\*?|fn|func|fun|def|defp|defmodule|class|interface|trait|struct|enum|union|impl|type|typedef|module|namespace|package|object|record|protocol|extension|sub|proc|procedure|macro|template|contract|create|begin|describe|it|test|const|let|var|val|section)\b/i;
/** A line that belongs to the one above it. */
const CONTINUES =
  /^(?:[)\]}>]|end\b|else\b|elif\b|elsif\b|catch\b|except\b|finally\b|rescue\b|then\b|do\b|begin\b|\{|done\b|fi\b|esac\b|#endif|#else)/i;
/** A line that belongs to the one below it. */
const LEADS = /^(?:\/\/|\/\*|\*|#|--|;|%|"""|'''|@|\[|<!--|template\b)/;
const ENDS = /^(?:[)\]}]|end\b|done\b|fi\b|esac\b)/i;

/** Ranks lines of source code: a new top-level definition best, then lines after a blank line. */
export function codeRanks(lines: string[]): LineRank {
  return (line) => {
    const text = lines[line] ?? '';
    const before = lines[line - 1];
    if (isBlank(text)) return 0;
    const isAfterGap = isBlank(before);
    if (/^\s/.test(text)) return isAfterGap ? 1 : 0;
    if (CONTINUES.test(text)) return 0;
    if (isAfterGap) return DEFINES.test(text) || LEADS.test(text) ? NEW_PART : 2;
    if (before !== undefined && ENDS.test(before)) return NEW_PART;
    return DEFINES.test(text) && !LEADS.test(before ?? '') ? NEW_PART : 0;
  };
}
