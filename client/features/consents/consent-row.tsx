import { Text } from '@mantine/core';
import type { Consent } from '../../api/consents.ts';
import { visibleText } from '../../format/visible-text.ts';
import { GuardedButton } from '../../ui/guarded-button.tsx';
import { exactTime, RelativeTime } from '../../ui/relative-time.tsx';
import type { Revocation } from './consent-groups.ts';
import { clientCalled, formatMemory, formatSignIn } from './consent-words.ts';
import classes from './consents.module.css';

/** "2 hours ago · openid, profile", and what else is known of it. */
export function ConsentRow(props: {
  consent: Consent;
  refusal: string | undefined;
  onRevoke: (revocation: Revocation) => void;
}) {
  const { consent } = props;
  const { id, at, scopes, audiences } = consent;
  const when = at === '' ? 'of a time not known' : `of ${exactTime(at)}`;
  const more = [
    audiences.length > 0 ? `for ${audiences.join(', ')}` : undefined,
    formatSignIn(consent),
    formatMemory(consent.rememberedFor),
  ].filter((words) => words !== undefined);
  return (
    <li className={classes.item}>
      <div>
        <Text size="sm" fw={500}>
          <RelativeTime at={at} />
          {' · '}
          <bdi>{visibleText(scopes.join(', ')) || 'no scope'}</bdi>
        </Text>
        <Text size="xs" c="dimmed">
          {more.map((words, index) => (
            <span key={words}>
              {index > 0 && ' · '}
              <bdi>{visibleText(words)}</bdi>
            </span>
          ))}
        </Text>
      </div>
      <GuardedButton
        size="compact-sm"
        variant="default"
        reason={props.refusal}
        aria-label={`Revoke the consent ${when}`}
        onClick={() =>
          props.onRevoke({ meant: { id }, called: `the consent to ${visibleText(clientCalled(consent))} ${when}` })
        }
      >
        Revoke…
      </GuardedButton>
    </li>
  );
}
