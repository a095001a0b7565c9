import { Button, Text } from '@mantine/core';
import { useState } from 'react';
import { formatDevice } from '../../../../shared/format-device.ts';
import type { Identity } from '../../../api/identities-record.ts';
import type { IdentitySession } from '../../../api/identity-session.ts';
import { addressWithoutPort } from '../../../format/network-address.ts';
import { sessionState } from '../../../format/session-state.ts';
import { formatMethods } from '../../../format/sign-in-methods.ts';
import { RelativeTime } from '../../../ui/relative-time.tsx';
import { EndSession } from './end-session.tsx';
import classes from './plain-list.module.css';

/**
 * "Chrome on macOS · Oslo, Norway · 2 hours ago" and the sign-in methods.
 * @param place the IP address stands in the place of an unknown one
 */
export function SessionRow(props: { identity: Identity; session: IdentitySession; place: string | undefined }) {
  const { identity, session, place } = props;
  const [ending, setEnding] = useState(false);
  const device = session.devices?.[0];
  const what = formatDevice(device?.user_agent);
  const address = addressWithoutPort(device?.ip_address);
  const state = sessionState(session, identity, Date.now());

  return (
    <li className={classes.item} data-ended={state !== 'active' || undefined}>
      <div>
        <Text size="sm" fw={500} title={device?.user_agent ?? undefined}>
          {what}
          {' · '}
          <span title={address}>{place ?? address ?? 'unknown address'}</span>
          {' · '}
          <RelativeTime at={session.authenticated_at} />
        </Text>
        <Text size="xs" c="dimmed">
          {formatMethods(session.authentication_methods)}
          {state === 'ended' ? (
            ' · no longer active'
          ) : (
            <>
              {state === 'person-inactive' ? ' · person inactive · would end ' : ' · ends '}
              <RelativeTime at={session.expires_at} />
            </>
          )}
        </Text>
      </div>
      {state !== 'ended' && (
        <Button size="compact-sm" variant="default" aria-label={`End session: ${what}`} onClick={() => setEnding(true)}>
          End…
        </Button>
      )}
      {ending && <EndSession identity={identity} session={session} device={what} onClose={() => setEnding(false)} />}
    </li>
  );
}
