import { Link } from '@tanstack/react-router';
import classes from './identity-tabs.module.css';

/** The tabs of an identity, each a route: one more line for one more tab. */
const TABS = [
  { to: '/identities/$id', label: 'Overview', exact: true },
  { to: '/identities/$id/traits', label: 'Traits and metadata', exact: false },
  { to: '/identities/$id/credentials', label: 'Credentials', exact: false },
  { to: '/identities/$id/sessions', label: 'Sessions', exact: false },
  { to: '/identities/$id/json', label: 'JSON', exact: false },
] as const;

export function IdentityTabs({ id }: { id: string }) {
  return (
    <nav className={classes.tabs} aria-label="Identity">
      {TABS.map(({ to, label, exact }) => (
        <Link
          key={to}
          to={to}
          params={{ id }}
          // The way back to the list stays with the history entry.
          state={(current) => current}
          activeOptions={{ exact }}
          className={classes.tab}
          data-keeps-focus
          preload={false}
        >
          {label}
        </Link>
      ))}
    </nav>
  );
}
