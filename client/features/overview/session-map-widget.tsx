import { Group, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { MapPoint } from '../../../shared/locations.ts';
import { useCan } from '../../api/session.ts';
import { sessionLocationsQuery } from '../../api/sessions.ts';
import { counted, digits, formatAmong, formatLeast } from '../../lib/format-count.ts';
import { isSamePlace } from '../../lib/session-labels.ts';
import { LocationCredit, SessionMap, UnknownLocationMark } from '../../map/session-map.tsx';
import { CountTable } from './charts.tsx';
import { DestinationLink, SESSIONS, type WidgetBodyProps, WidgetContent } from './widget-parts.tsx';

const LATEST = 'of the latest sessions';

/** Active sessions by location, with a link to a circle's sessions if the operator may open them. */
export function SessionMapWidget({ asTable }: WidgetBodyProps) {
  const query = useQuery(sessionLocationsQuery({ active: 'true' }));
  const [selected, setSelected] = useState<MapPoint>();
  const may = useCan();
  return (
    <WidgetContent
      query={query}
      caption={({ truncated, sessions }) =>
        truncated ? LATEST : `of all ${counted(sessions, 'active session', 'active sessions')}`
      }
    >
      {({ points, unknown, sessions, truncated }) => {
        const point = points.find((one) => selected !== undefined && isSamePlace(one, selected));
        const count = (sessions: number): string => formatLeast(truncated, counted(sessions, 'session', 'sessions'));
        const sentence = formatAmong(LATEST, !truncated, formatPlaces(points, unknown, sessions));
        return (
          <>
            {asTable ? (
              <CountTable
                name="Active sessions by location"
                sentence={sentence}
                columns={['Location', 'Sessions']}
                rows={[
                  ...points.map(({ label, count }) => ({ name: label, count })),
                  { name: 'Unknown location', count: unknown },
                ]}
              />
            ) : (
              <Stack component="figure" m={0} flex={1} mih={0} aria-label={sentence}>
                <SessionMap points={points} selected={point} isLeast={truncated} onSelect={setSelected} />
              </Stack>
            )}
            <Group justify="space-between" gap="0 1rem">
              <Text size="sm" aria-live="polite">
                {point === undefined ? (
                  <>
                    <UnknownLocationMark /> Unknown location: {count(unknown)}
                  </>
                ) : (
                  <>
                    <b>{point.label}</b>: {count(point.count)}{' '}
                    {may(SESSIONS.needs) && (
                      <DestinationLink
                        destination={{
                          ...SESSIONS,
                          search: { active: 'true', lat: String(point.lat), lng: String(point.lng) },
                        }}
                      >
                        View sessions
                      </DestinationLink>
                    )}
                  </>
                )}
              </Text>
              <LocationCredit />
            </Group>
          </>
        );
      }}
    </WidgetContent>
  );
}

/** `1,202 active sessions in 31 locations; most in Norway (412).` */
function formatPlaces(points: readonly MapPoint[], unknown: number, sessions: number): string {
  if (sessions === 0) return 'There are no active sessions.';
  const [first] = points;
  const all = counted(sessions, 'active session', 'active sessions');
  if (first === undefined) return `${all}, none with a known location.`;
  const where = unknown === 0 ? ' in' : `, ${digits(unknown)} of them at an unknown location, the others in`;
  const locations = counted(points.length, 'location', 'locations');
  return `${all}${where} ${locations}; most in ${first.label} (${digits(first.count)}).`;
}
