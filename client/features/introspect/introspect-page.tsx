import { Button, Group, Stack, Text } from '@mantine/core';
import { type FormEvent, useRef, useState } from 'react';
import { type OauthClient, readClient } from '../../api/oauth-clients.ts';
import { RequestError } from '../../api/request.ts';
import { useCan } from '../../api/session.ts';
import { type Failure, FailurePanel } from '../../ui/failure-panel.tsx';
import { SecretTextarea } from '../../ui/fields.tsx';
import { useFocusAfterRender, useSingleFlight } from '../../ui/hooks.tsx';
import { PageHeading } from '../../ui/layout.tsx';
import { NoAccessPage } from '../../ui/state-panel.tsx';
import { type Introspection, introspect } from './end-token.tsx';
import { TokenAnswer } from './token-response.tsx';

const TITLE = 'Introspect';
const ABOUT = 'Whether a token is valid, what it allows, and how to revoke it.';

export function IntrospectPage() {
  const may = useCan();
  if (!may('upstreams.write')) return <NoAccessPage title={TITLE} about={ABOUT} />;
  return (
    <>
      <PageHeading title={TITLE} about={ABOUT} />
      <Introspect />
    </>
  );
}

/** Kept in this component's state and nowhere else. */
interface Asked {
  token: string;
  answer: Introspection;
  /** The token's client; undefined when it could not be read. */
  client: OauthClient | undefined;
}

function Introspect() {
  const [text, setText] = useState('');
  const [asked, setAsked] = useState<Asked>();
  const [failure, setFailure] = useState<Failure>();
  const { run, pending } = useSingleFlight();
  const focusAfterRender = useFocusAfterRender();
  const status = useRef<HTMLDivElement>(null);

  const ask = async (token: string): Promise<void> => {
    const answer = await introspect(token);
    const client = typeof answer.client_id === 'string' ? await clientOrNone(answer.client_id) : undefined;
    setAsked({ token, answer, client });
  };
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    const token = tokenIn(text);
    if (token === '') return;
    void run(async () => {
      setFailure(undefined);
      setAsked(undefined);
      await ask(token).catch((error) => setFailure(error as Error));
    });
  };
  /** The button that ended the token is gone, so focus moves to the new result. */
  const again = async (token: string): Promise<void> => {
    await ask(token);
    focusAfterRender(() => status.current);
  };
  const forget = (): void => {
    setText('');
    setAsked(undefined);
    setFailure(undefined);
  };

  return (
    <Stack gap="md" maw="52rem">
      <form onSubmit={submit}>
        <Stack gap="xs">
          <SecretTextarea
            secret
            label="Token"
            description="An access or refresh token. It is sent once to the OAuth server and never stored, logged or put into the address."
            value={text}
            onChange={(event) => setText(event.currentTarget.value)}
          />
          <Group gap="xs">
            <Button type="submit" loading={pending} disabled={tokenIn(text) === ''}>
              Introspect
            </Button>
            {(text !== '' || asked !== undefined) && (
              <Button variant="default" onClick={forget}>
                Clear
              </Button>
            )}
          </Group>
        </Stack>
      </form>
      {failure !== undefined && <FailurePanel error={failure} />}
      <div role="status" ref={status} tabIndex={-1}>
        {asked !== undefined && !asked.answer.active && (
          <Text size="sm">
            This token is not valid. It has expired, was revoked, or was never issued here: the OAuth server does not
            say which.
          </Text>
        )}
        {asked?.answer.active === true && <Text size="sm">This token is valid.</Text>}
      </div>
      {asked?.answer.active === true && (
        <TokenAnswer token={asked.token} answer={asked.answer} client={asked.client} again={() => again(asked.token)} />
      )}
    </Stack>
  );
}

const clientOrNone = (id: string): Promise<OauthClient | undefined> =>
  readClient(id).catch((error) => {
    if (error instanceof RequestError && error.code !== 'not_authenticated') return undefined;
    throw error;
  });

/** The token in text pasted from a log or header, without whitespace, quotes and scheme. */
export const tokenIn = (text: string): string =>
  text
    .trim()
    .replace(/^(?:authorization:\s*)?bearer\s+/i, '')
    .replace(/^["'`]+|(?<!["'`,;])["'`,;]+$/g, '')
    .replace(/\s+/g, '');
