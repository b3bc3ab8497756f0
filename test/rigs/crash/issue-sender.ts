import { createHmac } from 'node:crypto';
import type { InboundAnswer } from '../../../src/contract/inbound.ts';
import type { Flags } from '../../../src/core/config/config.ts';
import type { RigDaemon } from './daemon-process.ts';
import type { Kind, Ledger } from './ledger.ts';
import type { Random } from './random.ts';

const SECRET = 'the secret of the rig';
/** How many deliver at the same time, and how much each. */
const SENDERS = 3;
const STEPS = 12;
/** Answered issues that come again although nobody asked, after a start. */
const STRAY_COPIES = 3;
const kinds = ['ok', 'ok', 'ok', 'slow', 'flaky', 'hopeless', 'stubborn'] as const;

/** An issue that got the label, and what the daemon has said of it. */
export interface SentIssue {
  kind: Kind;
  /** As tasks name it. */
  sourceId: string;
  body: string;
  /** Ids under which it is delivered: two where two hooks tell of it. */
  deliveryIds: string[];
  /** Those of them that were sent and not answered. */
  open: Set<string>;
  sends: number;
  answers: InboundAnswer[];
}

interface SendDeps {
  daemon: RigDaemon;
  ledger: Ledger;
  random: Random;
}

/** Delivers issues as GitHub does: signed, sometimes twice, and again when there was no answer. */
export class IssueSender {
  readonly issues: SentIssue[] = [];
  /** Issues of which something was sent since they were last looked at. */
  readonly touched = new Set<SentIssue>();
  answered = 0;

  readonly env = { CODEHOST_WEBHOOK_SECRET: SECRET };
  readonly flags: Flags = {
    'webhooks.github.comments': false,
    'webhooks.github.rules': Object.fromEntries(kinds.map((kind) => [`rig/${kind}`, { agent: kind }])),
  };

  /** Delivers until the daemon is gone or all is done. */
  async load(parts: SendDeps): Promise<void> {
    await Promise.all(Array.from({ length: SENDERS }, () => this.#sendMany(parts)));
  }

  /** What was not answered comes again, only a part of it unless `isLate`; and so do a few that were. */
  async repeat(parts: SendDeps, isLate: boolean): Promise<void> {
    const { random } = parts;
    const again = this.issues.filter(({ open }) => open.size > 0 && (isLate || random.chance(0.5)));
    for (const issue of again)
      await Promise.all([...issue.open].map((id) => this.#sendOnce(parts, issue, id)));
    for (let copy = 0; copy < STRAY_COPIES && this.issues.length > 0; copy++)
      await this.#send(parts, random.pick(this.issues));
  }

  async #sendMany(parts: SendDeps): Promise<void> {
    const { daemon, random } = parts;
    for (let step = 0; step < STEPS && daemon.isAlive(); step++)
      await this.#send(
        parts,
        this.issues.length > 0 && random.chance(0.15) ? random.pick(this.issues) : this.#next(random),
      );
  }

  #next(random: Random): SentIssue {
    const number = this.issues.length + 1;
    const kind = random.pick(kinds);
    const place = `rig/${kind}`;
    const issue: SentIssue = {
      kind,
      sourceId: `${place}#${number}`,
      body: JSON.stringify({
        action: 'labeled',
        issue: {
          number,
          title: kind,
          body: 'It does not work.',
          state: 'open',
          labels: [{ name: 'ai-task' }],
        },
        label: { name: 'ai-task' },
        repository: { full_name: place, default_branch: 'main' },
        sender: { login: 'ann', type: 'User' },
      }),
      deliveryIds: random.chance(0.25) ? [`delivery-${number}`, `other-${number}`] : [`delivery-${number}`],
      open: new Set(),
      sends: 0,
      answers: [],
    };
    this.issues.push(issue);
    return issue;
  }

  /** By each of its hooks, sometimes twice at once. */
  async #send(parts: SendDeps, issue: SentIssue): Promise<void> {
    const ids = parts.random.chance(0.3) ? [...issue.deliveryIds, ...issue.deliveryIds] : issue.deliveryIds;
    await Promise.all(ids.map((id) => this.#sendOnce(parts, issue, id)));
  }

  async #sendOnce({ daemon, ledger }: SendDeps, issue: SentIssue, id: string): Promise<void> {
    const { body } = issue;
    issue.sends++;
    issue.open.add(id);
    this.touched.add(issue);
    const signature = createHmac('sha256', SECRET).update(body).digest('hex');
    const headers = {
      'content-type': 'application/json',
      'x-github-event': 'issues',
      'x-github-delivery': id,
      'x-hub-signature-256': `sha256=${signature}`,
    };
    let status: number;
    let text: string;
    try {
      const response = await fetch(`${daemon.url}/api/webhooks/codehost`, { method: 'POST', headers, body });
      ({ status } = response);
      text = await response.text();
    } catch {
      // The crash took it: nobody knows what came of it.
      return;
    }
    // A daemon that stops takes nothing more.
    if (status === 503) return;
    if (status !== 200) return void ledger.oddAnswers.push(`${status} ${text} to ${issue.sourceId}`);
    const answer = JSON.parse(text) as InboundAnswer;
    this.answered++;
    issue.answers.push(answer);
    issue.open.delete(id);
    if (answer.taskId !== undefined) ledger.acknowledge(answer.taskId, issue.kind);
  }
}
