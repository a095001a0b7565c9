import { Anchor } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { formatDevice } from '../../../../shared/format-device.ts';
import { placesQuery } from '../../../api/places.ts';
import { displayName } from '../../../format/identity-name.ts';
import { addressIn, addressWithoutPort } from '../../../format/network-address.ts';
import { formatPlace } from '../../../format/place.ts';
import { formatMethods } from '../../../format/sign-in-methods.ts';
import { useRecord } from '../../../resource/detail/use-record.tsx';
import { FactList } from '../../../ui/fact-list.tsx';
import { RelativeTime } from '../../../ui/relative-time.tsx';
import { Section } from '../../../ui/section.tsx';
import { listed, sessionRecordQuery } from '../session-queries.ts';
import classes from './overview-tab.module.css';

export function OverviewTab() {
  const session = useRecord(sessionRecordQuery);
  const { identity } = session;
  const devices = session.devices ?? [];
  const addresses = [...new Set(devices.flatMap(({ ip_address }) => addressIn(ip_address) ?? []))];
  const { data: places } = useQuery(placesQuery(addresses));
  const facts: [string, ReactNode][] = [
    [
      'Person',
      identity ? (
        <Anchor
          key="person"
          size="sm"
          renderRoot={(props) => <Link {...props} to="/identities/$id" params={{ id: identity.id }} preload={false} />}
        >
          {displayName(identity)}
        </Anchor>
      ) : (
        'unknown'
      ),
    ],
    ['Signed in', <RelativeTime key="signed-in" at={session.authenticated_at} />],
    ['Method', formatMethods(session.authentication_methods)],
    ['Assurance', session.authenticator_assurance_level ?? 'unknown'],
    ['Issued', <RelativeTime key="issued" at={session.issued_at} />],
    [
      listed(session).state === 'ended' ? 'Would have ended' : 'Ends',
      <RelativeTime key="ends" at={session.expires_at} />,
    ],
  ];
  return (
    <div className={classes.sections}>
      <Section title="At a glance">
        <FactList facts={facts} />
      </Section>
      <Section title={devices.length > 1 ? 'Devices' : 'Device'}>
        {devices.length === 0
          ? 'The identity service has recorded none.'
          : devices.map((device) => {
              const address = addressIn(device.ip_address);
              const place = places === undefined ? undefined : (places.get(address ?? '') ?? null);
              return (
                <FactList
                  key={device.id}
                  facts={[
                    ['Device', formatDevice(device.user_agent)],
                    ['Place', formatPlace(place, address)],
                    ['Address', addressWithoutPort(device.ip_address) ?? 'unknown'],
                    ['User agent', device.user_agent ?? 'none'],
                  ]}
                />
              );
            })}
      </Section>
    </div>
  );
}
