import { useCan } from '../../../api/session.ts';
import { ClosedPage } from '../../../ui/feedback/closed-page.tsx';
import { lazyPart } from '../../../ui/loading/lazy-part.tsx';
import { PageHeading } from '../../../ui/page-heading.tsx';
import { SESSIONS } from '../session-resource.ts';
import { SessionList } from './session-list.tsx';
import classes from './sessions-page.module.css';

// Separate, so that the list does not wait for the map.
const MapPanel = lazyPart(() => import('./map-panel.tsx'), 'MapPanel', null);

const ABOUT = 'Who is or recently was signed in, on which device and where.';

export function SessionsPage() {
  const may = useCan();
  if (!may('upstreams.read')) return <ClosedPage title={SESSIONS.label} about={ABOUT} />;
  return (
    <>
      <PageHeading title={SESSIONS.label} about={ABOUT} />
      <div className={classes.beside}>
        <div className={classes.list}>
          <SessionList />
        </div>
        <aside className={classes.map} aria-label="Where the sessions are">
          <MapPanel />
        </aside>
      </div>
    </>
  );
}
