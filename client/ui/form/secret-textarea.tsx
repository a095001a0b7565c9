import { ActionIcon, Textarea, type TextareaProps } from '@mantine/core';
import { useState } from 'react';
import { IconEye, IconEyeOff } from '../icons.ts';
import classes from './secret-textarea.module.css';

/** A text area that can be masked: multi-line keys in PEM format do not fit into a password field. */
export function SecretTextarea({ secret, ...textarea }: TextareaProps & { secret: boolean }) {
  const [shown, setShown] = useState(false);
  const label = shown ? 'Hide text' : 'Show text';
  return (
    <Textarea
      {...textarea}
      autosize
      minRows={secret ? 2 : 3}
      maxRows={12}
      autoComplete="off"
      spellCheck={false}
      classNames={{ input: secret && !shown ? classes.covered : classes.text }}
      rightSection={
        secret ? (
          <ActionIcon variant="subtle" color="gray" aria-label={label} title={label} onClick={() => setShown(!shown)}>
            {shown ? <IconEyeOff /> : <IconEye />}
          </ActionIcon>
        ) : undefined
      }
    />
  );
}
