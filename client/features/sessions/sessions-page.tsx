import { useCan } from '../../api/session.ts';
import { PageHeading } from '../../ui/layout.tsx';
import { lazyPart } from '../../ui/lazy-part.tsx';
import { NoAccessPage } from '../../ui/state-panel.tsx';
import { SessionList } from './session-list.tsx';
import { SESSIONS } from './session-resource.ts';
import classes from './sessions.module.css';

// The list does not wait for the map.
const MapPanel = lazyPart(() => import('./map-panel.tsx'), 'MapPanel', null);

const ABOUT = 'Who is or recently was signed in, on which device and where.';

export function SessionsPage() {
  const may = useCan();
  if (!may('upstreams.read')) return <NoAccessPage title={SESSIONS.label} about={ABOUT} />;
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
