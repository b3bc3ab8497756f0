import { Link } from '@tanstack/react-router';
import { Page } from '../components/page.tsx';

export function NotFound() {
  return (
    <Page title="There is no such page" isNarrow>
      <p className="muted">
        The address may be mistyped, or from another version of svc. <Link to="/">Go to the inbox</Link>
      </p>
    </Page>
  );
}
