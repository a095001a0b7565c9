import { useQuery } from '@tanstack/react-query';
import type { SavedView } from '../../../shared/dashboard.ts';
import { identityCountQuery } from '../../api/identity-search.ts';
import { statisticsQuery } from '../../api/overview.ts';
import { refreshEvery } from '../../api/polling.ts';
import { RequestError } from '../../api/request.ts';
import { viewsQuery } from '../../api/views.ts';
import { counted, digits } from '../../lib/format-count.ts';
import { searchOf } from '../../list/views.ts';
import { DataAge } from '../../ui/facts.tsx';
import { IDENTITIES, useOpenDestination } from './destinations.tsx';
import { Loaded, NotKnown } from './loaded.tsx';
import { BigNumber } from './number-widgets.tsx';
import { isViewWidget, viewOf, type WidgetBodyProps } from './widget-catalogue.ts';

const EVERY_MS = 60_000;

/** How many identities match a view. */
export function ViewNumber({ id }: WidgetBodyProps) {
  const find = (own: readonly SavedView[]): SavedView | undefined => (isViewWidget(id) ? viewOf(id, own) : undefined);
  const builtIn = find([]);
  const question = useQuery({ ...viewsQuery, enabled: builtIn === undefined });
  if (builtIn !== undefined) return <Matching view={builtIn} />;
  return (
    <Loaded question={question}>
      {({ views }) => {
        const view = find(views);
        return view === undefined ? (
          <NotKnown why="Its view was deleted. “Arrange” removes this widget." />
        ) : (
          <Matching view={view} />
        );
      }}
    </Loaded>
  );
}

function Matching({ view }: { view: SavedView }) {
  const open = useOpenDestination();
  const search = searchOf(view);
  // All widgets share these; the count itself does not say how far the index has read.
  const { data: statistics } = useQuery(statisticsQuery);
  const isWhole = statistics?.identities?.complete !== false && statistics?.sessions?.truncated !== true;
  const question = useQuery({ ...identityCountQuery(search), refetchInterval: refreshEvery(EVERY_MS) });
  if (question.error instanceof RequestError && question.error.code === 'search_not_supported')
    return <NotKnown why="Identities are counted by their index, which is off or has read nothing yet." />;
  return (
    <Loaded question={question}>
      {({ count, as_of, clockAheadMs }) => (
        <>
          <BigNumber
            value={digits(count)}
            leadsTo={open({ ...IDENTITIES, search })}
            label={counted(count, 'identity', 'identities')}
          >
            {count === 1 ? 'identity' : 'identities'}
          </BigNumber>
          {as_of !== null && (
            <DataAge
              of={isWhole ? 'counted by the index' : 'of those read so far'}
              asOf={as_of}
              clockAheadMs={clockAheadMs}
            />
          )}
        </>
      )}
    </Loaded>
  );
}
