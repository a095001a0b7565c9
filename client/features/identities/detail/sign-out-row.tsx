import { Button, Text } from '@mantine/core';
import { FailureNote } from '../../../ui/feedback/failure-panel.tsx';
import { StatusDot } from '../../../ui/status-dot.tsx';
import classes from './plain-list.module.css';
import type { SignOutStep } from './sign-out-steps.ts';
import type { StepState } from './use-sign-out-run.ts';

const DOTS = { waiting: 'off', running: 'warning', done: 'good', failed: 'bad' } as const;
const WORDS = { waiting: '', running: ', in progress', done: ', done', failed: ', failed' } as const;

/** A step and its result. @param closed whether its button is disabled */
export function SignOutRow(props: { step: SignOutStep; state: StepState; closed: boolean; again: () => void }) {
  const { step, state } = props;
  const { status } = state;
  return (
    <li className={classes.item}>
      <div>
        <StatusDot status={DOTS[status]}>
          <b>{step.name}</b>
          {WORDS[status]}
        </StatusDot>
        {status === 'failed' ? (
          <FailureNote error={state.error} />
        ) : (
          <Text size="xs" c="dimmed">
            {status === 'done' ? state.answer : step.about}
          </Text>
        )}
      </div>
      {(status === 'done' || status === 'failed') && (
        <Button
          size="compact-sm"
          variant="default"
          disabled={props.closed}
          aria-label={`${status === 'done' ? 'Repeat' : 'Try again'}: ${step.name}`}
          onClick={props.again}
        >
          {status === 'done' ? 'Repeat' : 'Try again'}
        </Button>
      )}
    </li>
  );
}
