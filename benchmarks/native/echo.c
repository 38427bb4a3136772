/*
 *     echo SOCKET ANSWER
 *
 * The floor: the least that a service on this socket can cost. A thread for each connection reads a frame
 * and, if it is a call, sends ANSWER back at once. It looks at nothing but the frame's head (frames.py).
 */
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

enum { HEADER = 8, CALL = 1, REPLY = 2, PROTOCOL = 1, ROOM = 1 << 20, BACKLOG = 256 };

static uint8_t answer[4096];
static size_t answer_length;

static uint32_t length_of(const uint8_t *frame)
{
    return frame[0] | frame[1] << 8 | frame[2] << 16 | (uint32_t)frame[3] << 24;
}

static _Bool answer_calls(int fd, uint8_t *frames, size_t *have)
{
    while (*have >= HEADER && *have >= HEADER + length_of(frames)) {
        size_t length = HEADER + length_of(frames);
        if (frames[4] == CALL && send(fd, answer, answer_length, MSG_NOSIGNAL) != (ssize_t)answer_length)
            return 0;
        memmove(frames, frames + length, *have -= length);
    }
    return 1;
}

static void *serve(void *given)
{
    int fd = (int)(intptr_t)given;
    uint8_t *frames = malloc(ROOM);
    size_t have = 0;
    ssize_t received;
    while ((received = recv(fd, frames + have, ROOM - have, 0)) > 0) {
        have += (size_t)received;
        if (!answer_calls(fd, frames, &have))
            break;
    }
    free(frames);
    close(fd);
    return NULL;
}

int main(int count, char **arguments)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    int listening = socket(AF_UNIX, SOCK_STREAM, 0);
    if (count != 3 || strlen(arguments[1]) >= sizeof address.sun_path)
        return 2;
    size_t length = strlen(arguments[2]);
    answer_length = HEADER + length;
    memcpy(answer, (uint8_t[]){(uint8_t)length, (uint8_t)(length >> 8), 0, 0, REPLY, PROTOCOL, 0, 0}, HEADER);
    memcpy(answer + HEADER, arguments[2], length);
    strcpy(address.sun_path, arguments[1]);
    if (bind(listening, (struct sockaddr *)&address, sizeof address) != 0 ||
        listen(listening, BACKLOG) != 0) {
        perror("echo");
        return 1;
    }
    for (;;) {
        pthread_t thread;
        int fd = accept(listening, NULL, NULL);
        if (fd >= 0 && pthread_create(&thread, NULL, serve, (void *)(intptr_t)fd) == 0)
            pthread_detach(thread);
    }
}
