/** The note for a user who does not see subscriber data. */
export const Masked = ({ what }: { what: string }) => (
  <p className="muted">
    {what} left out, and subscriber data is masked: your role does not see it. An administrator can change that in
    [privacy] of the flow file.
  </p>
);
