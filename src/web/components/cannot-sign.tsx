/** Why this page cannot allow a call that needs a signature, and what to do. */
export const CannotSign = ({ id }: { id: string }) => (
  <p className="muted" id={`unsigned-${id}`}>
    This call can only be allowed with a signature, and this page cannot sign: browsers sign over https, or on
    the machine of the daemon itself. Open svc there, or decide there with{' '}
    <code>svc approvals allow {id}</code>. You can deny it here.
  </p>
);
