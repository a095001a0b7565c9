import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { MapPoint } from '../../../../shared/locations.ts';
import { RequestError } from '../../../api/request-error.ts';
import { sessionLocationsQuery } from '../../../api/session-locations.ts';
import { counted } from '../../../format/counted.ts';
import { formatAmong, formatLeast } from '../../../format/sample.ts';
import { LocationCredit } from '../../../map/location-credit.tsx';
import { isSamePlace } from '../../../map/same-place.ts';
import { SessionMap } from '../../../map/session-map.tsx';
import { Note } from '../../../ui/feedback/note.tsx';
import { CountTable } from '../charts/count-table.tsx';
import { SESSIONS } from '../destinations.ts';
import { DestinationLink } from './destination-link.tsx';
import { formatPlaces } from './format-places.ts';
import classes from './lines.module.css';
import { Loaded, NotKnown } from './loaded.tsx';
import { useOpenDestination } from './use-open-destination.ts';
import type { WidgetBodyProps } from './widget.ts';

const LATEST = 'of the latest sessions';

/** Active sessions by place; operators who may see the people behind a circle get a link to them. */
export function SessionMapWidget({ asTable }: WidgetBodyProps) {
  const question = useQuery(sessionLocationsQuery({ active: true }));
  const [selected, setSelected] = useState<MapPoint>();
  const open = useOpenDestination();
  if (question.error instanceof RequestError && question.error.code === 'search_not_supported')
    return <NotKnown why={question.error.message} />;
  return (
    <Loaded question={question}>
      {({ points, unknown, sessions, truncated, as_of, clockAheadMs }) => {
        const selectedPoint = points.find((point) => selected !== undefined && isSamePlace(point, selected));
        return (
          <>
            <p className={classes.summary}>
              {formatAmong(LATEST, !truncated, formatPlaces(points, unknown, sessions))}
            </p>
            {asTable ? (
              <CountTable
                caption="Active sessions by place"
                of="Place"
                counted="Sessions"
                rows={[
                  ...points.map(({ label, count }) => ({ name: label, count })),
                  { name: 'Unknown location', count: unknown },
                ]}
              />
            ) : (
              <SessionMap points={points} selected={selectedPoint} isLeast={truncated} onSelect={setSelected} />
            )}
            <p className={classes.legend} aria-live="polite">
              {selectedPoint === undefined ? (
                <span className={classes.nowhere}>
                  Unknown location: {formatLeast(truncated, counted(unknown, 'session', 'sessions'))}
                </span>
              ) : (
                <span>
                  <b>{selectedPoint.label}</b>:{' '}
                  {formatLeast(truncated, counted(selectedPoint.count, 'session', 'sessions'))}{' '}
                  <DestinationLink
                    size="sm"
                    destination={open({
                      ...SESSIONS,
                      search: { active: 'true', lat: String(selectedPoint.lat), lng: String(selectedPoint.lng) },
                    })}
                  >
                    {open(SESSIONS) && 'View sessions'}
                  </DestinationLink>
                </span>
              )}
            </p>
            <div className={classes.foot}>
              <Note
                of={truncated ? LATEST : `of all ${counted(sessions, 'active session', 'active sessions')}`}
                asOf={as_of}
                clockAheadMs={clockAheadMs}
              />
              <LocationCredit />
            </div>
          </>
        );
      }}
    </Loaded>
  );
}
