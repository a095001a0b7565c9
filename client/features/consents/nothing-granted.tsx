import { identityIdIn } from '../../format/identity-id.ts';
import { NoMatch } from '../../resource/search/no-match.tsx';

/** The subject has no consents; the text may be something else. @param missing who could not be looked for, in words */
export const NothingGranted = ({ subject, missing = '' }: { subject: string; missing?: string }) => (
  <NoMatch
    title="Nothing is granted under this subject"
    text={`Nothing was granted, everything has been revoked, or there is no such subject: the OAuth server does not say which. The subject must match exactly, including upper and lower case. ${missing}`}
    offers={[
      identityIdIn(subject) === undefined && {
        label: 'Find the identity that signs in with it',
        to: { to: '/identities', search: { q: subject } },
      },
    ]}
  />
);
