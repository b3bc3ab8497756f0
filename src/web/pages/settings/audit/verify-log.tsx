import { useMutation } from '@tanstack/react-query';
import type { AuditVerification } from '../../../../contract/audit.ts';
import { escapeLine } from '../../../../contract/escape-text.ts';
import { client } from '../../../client.ts';
import { CopiedValue } from '../../../components/copied-value.tsx';
import { Problem } from '../../../components/problem.tsx';
import { useAway } from '../../../live/use-away.ts';
import styles from '../settings.module.css';
import { formatNumber } from '../../../components/format-number.ts';

/** Verifies the whole log, and says in words what came of it. */
export function VerifyLog() {
  const isAway = useAway();
  const verify = useMutation({ mutationFn: () => client.audit.verify() });
  return (
    <>
      <div className={styles['line']}>
        <button
          type="button"
          className="button"
          disabled={isAway || verify.isPending}
          onClick={() => verify.mutate()}
        >
          Verify
        </button>
        <span role="status" className="muted">
          {verify.isPending && 'Verifying…'}
        </span>
      </div>
      {verify.error && <Problem error={verify.error} />}
      {verify.data && <Result result={verify.data} />}
    </>
  );
}

function Result({ result }: { result: AuditVerification }) {
  const { valid, entries, brokenAt, reason = 'unknown', missingArchives = [], lastHash } = result;
  if (!valid)
    return (
      <div role="alert" className="problem">
        <p>The audit log failed verification: {escapeLine(reason)}.</p>
        <p>
          {brokenAt !== undefined && `The first invalid entry has the number ${brokenAt}. `}
          Compare it with a backup.
        </p>
      </div>
    );
  return (
    <>
      <p role="status">
        {formatNumber(entries)} {entries === 1 ? 'entry' : 'entries'} verified: none was changed or is
        missing. Store this hash elsewhere to detect a truncated log.
      </p>
      {missingArchives.map((file) => (
        <p key={file}>Not found, so its entries were not verified: {escapeLine(file)}</p>
      ))}
      <CopiedValue name="last hash" value={lastHash} />
    </>
  );
}
