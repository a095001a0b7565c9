import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { MapPoint } from '../../../shared/locations.ts';
import { RequestError } from '../../api/request.ts';
import { sessionLocationsQuery } from '../../api/sessions.ts';
import { counted, digits, formatAmong, formatLeast } from '../../lib/format-count.ts';
import { isSamePlace, LocationCredit, SessionMap } from '../../map/session-map.tsx';
import { DataAge } from '../../ui/facts.tsx';
import { CountTable } from './charts.tsx';
import { DestinationLink, SESSIONS, useOpenDestination } from './destinations.tsx';
import { Loaded, NotKnown } from './loaded.tsx';
import type { WidgetBodyProps } from './widget-catalogue.ts';
import classes from './widgets.module.css';

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
              <DataAge
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

/** `1,202 active sessions in 31 places, most in Norway (412).` */
export function formatPlaces(points: readonly MapPoint[], unknown: number, sessions: number): string {
  if (sessions === 0) return 'There are no active sessions.';
  const [first] = points;
  const all = counted(sessions, 'active session', 'active sessions');
  if (first === undefined) return `${all}, the location of none is known.`;
  const places = counted(points.length, 'place', 'places');
  const rest = unknown === 0 ? '' : `, ${digits(unknown)} of them at an unknown location`;
  return `${all} in ${places}${rest}; most in ${first.label} (${digits(first.count)}).`;
}
