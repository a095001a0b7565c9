import { Anchor } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { formatDevice } from '../../../../shared/format-device.ts';
import type { IdentitySession } from '../../../api/identity-session.ts';
import { addressWithoutPort } from '../../../format/network-address.ts';
import { formatMethods } from '../../../format/sign-in-methods.ts';
import { RelativeTime } from '../../../ui/relative-time.tsx';
import { lastSignIn } from './evidence.ts';

/** "2 hours ago from Oslo, Norway with Chrome on macOS, by password", of the sessions that are known. */
export function LastSignIn(props: { sessions: readonly IdentitySession[] | undefined; place: string | undefined }) {
  const { sessions } = props;
  // Where the place took too long, the IP address stays: the line must not change under the reader.
  const [isPlaced] = useState(props.place !== undefined);
  const place = isPlaced ? props.place : undefined;
  const session = sessions === undefined ? undefined : lastSignIn(sessions);
  const device = session?.devices?.[0];
  const address = addressWithoutPort(device?.ip_address);
  if (sessions === undefined) return <>Last sign-in unknown: their sessions could not be read.</>;
  if (session === undefined) return <>No sign-in is known: no session of theirs is stored.</>;
  return (
    <>
      Last sign-in{' '}
      <Anchor
        inherit
        renderRoot={(props) => <Link {...props} to="/sessions/$id" params={{ id: session.id }} preload={false} />}
      >
        <RelativeTime at={session.authenticated_at} />
      </Anchor>{' '}
      from <span title={address}>{place ?? address ?? 'an unknown address'}</span> with{' '}
      {formatDevice(device?.user_agent)}, {lowered(formatMethods(session.authentication_methods))}.
    </>
  );
}

const lowered = (words: string): string => words.charAt(0).toLowerCase() + words.slice(1);
