import { Button, type ButtonProps, VisuallyHidden } from '@mantine/core';
import { type MouseEventHandler, useId } from 'react';

/**
 * A button that this operator may not be allowed to use. With a `reason` it stays focusable and explains, in a tooltip
 * and to screen readers, why it does nothing.
 */
export function GuardedButton({
  reason,
  onClick,
  ...button
}: ButtonProps & {
  reason: string | undefined;
  onClick: MouseEventHandler<HTMLButtonElement>;
  type?: 'button' | 'submit';
}) {
  const id = useId();
  if (reason === undefined) return <Button {...button} onClick={onClick} />;
  return (
    <>
      <Button
        {...button}
        type="button"
        data-disabled
        aria-disabled
        aria-describedby={id}
        title={reason}
        onClick={(event) => event.preventDefault()}
      />
      <VisuallyHidden id={id}>{reason}</VisuallyHidden>
    </>
  );
}
